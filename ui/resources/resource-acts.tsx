import { Loader } from '@mantine/core';
import { useEffect, useState } from 'react';
import { ADOPT, LOOK, RETRY } from '../../src/ops/lists/acts.ts';
import { toKind, toRepair } from '../../src/ops/lists/words.ts';
import { useChange } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { Act, Acts, Refusal } from '../parts/act.tsx';

/** Acts of an operator about one user or group. */
export function ResourceActs({ it }: { readonly it: Ops<'Explanation'> }) {
  const { type, id, name, managed, deleted } = it;
  const of = { type, id };
  const isWaiting = it.problem !== null || it.dueAt !== null;
  // What came of a retry is told beside its button, also when nothing waits any more.
  const [hasWaited, setHasWaited] = useState(isWaiting);
  if (isWaiting && !hasWaited) setHasWaited(true);
  return (
    <Acts>
      <Act act={LOOK} of={of} label="Look now" isMain />
      {managed !== 'no' && (
        <Act
          act={LOOK}
          of={of}
          given={{ repair: true }}
          label="Look and repair"
          confirm={<LookFirst path={`/${type}s/${id}/look`} />}
        />
      )}
      {hasWaited && <Act act={RETRY} given={{ name: id }} label="Retry" />}
      {managed === 'no' && !deleted && (
        <Act
          act={ADOPT}
          of={of}
          label="Take over"
          confirm={`The bridge takes ${name} over as the service holds it. A provider may then change and deactivate it.`}
        />
      )}
    </Acts>
  );
}

/** Looks, and tells what a repair would change. */
function LookFirst({ path }: { readonly path: string }) {
  const look = useChange<Ops<'Look'>>();
  const { mutate } = look;
  useEffect(() => mutate({ path, body: {} }), [mutate, path]);
  if (look.error) return <Refusal error={look.error} />;
  if (!look.data) return <Loader size="sm" aria-label="Looking" />;
  const open = look.data.differences.filter(({ status, note }) => status === 'open' && !note);
  if (open.length === 0) return <>Nothing differs that may be repaired.</>;
  return (
    <ul>
      {open.map(({ id, kind, member }) => (
        <li key={id}>
          {member && <bdi>{member.name ?? member.id}: </bdi>}
          {toKind(kind)}, {toRepair(kind)}
        </li>
      ))}
    </ul>
  );
}
