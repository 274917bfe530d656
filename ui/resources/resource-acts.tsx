import { Loader } from '@mantine/core';
import { useEffect, useState } from 'react';
import { toCount, toKind } from '../../src/ops/lists/words.ts';
import { useChange } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { toRepair } from '../drifts/words.ts';
import { Act, Acts, Refusal } from '../parts/act.tsx';

type Explanation = Ops<'Explanation'>;

/** Acts of an operator about one user or group. */
export function ResourceActs({ it }: { readonly it: Explanation }) {
  const path = `/${it.type}s/${it.id}`;
  const isWaiting = it.problem !== null || it.dueAt !== null;
  // What came of a retry is told beside its button, also when nothing waits any more.
  const [hasWaited, setHasWaited] = useState(isWaiting);
  if (isWaiting && !hasWaited) setHasWaited(true);
  return (
    <Acts>
      <Act
        name="Look"
        label="Look now"
        isMain
        meaning="Reads it in the service now, with at most three calls, and says what differs."
        command={`scim-bridge look ${it.id}`}
        path={`${path}/look`}
        body={{}}
        told={toFound}
      />
      {it.managed !== 'no' && (
        <Act
          name="Look"
          label="Look and repair"
          meaning="Looks, shows what differs, and asks before it is changed back, within the limits."
          command={`scim-bridge look ${it.id} --repair`}
          path={`${path}/look`}
          body={{ repair: true }}
          confirm={<LookFirst path={`${path}/look`} />}
          told={toFound}
        />
      )}
      {hasWaited && (
        <Act
          name="Retry"
          label="Retry"
          meaning="Tries at once what is refused or waits for its next attempt."
          command={`scim-bridge retry ${it.id}`}
          path="/retry"
          body={{ name: it.id }}
          told={({ count }) => (count === 0 ? 'Nothing of it waits.' : 'It is tried now.')}
        />
      )}
      {it.managed === 'no' && !it.deleted && <Adopt it={it} path={path} />}
    </Acts>
  );
}

/** Looks, and tells what a repair would change. */
function LookFirst({ path }: { readonly path: string }) {
  const look = useChange('Look');
  const { mutate } = look;
  useEffect(() => mutate({ path, body: {} }), [mutate, path]);
  if (look.error) return <Refusal error={look.error} />;
  if (!look.data) return <Loader size="sm" aria-label="Looking" />;
  const open = look.data.differences.filter(({ status, note }) => status === 'open' && !note);
  if (open.length === 0) return <>Nothing differs that may be repaired.</>;
  return (
    <ul className="preview">
      {open.map(({ id, kind, member }) => (
        <li key={id}>
          {member && <bdi>{member.name ?? member.id}: </bdi>}
          {toKind(kind)}, {toRepair(kind)}
        </li>
      ))}
    </ul>
  );
}

function Adopt({ it, path }: { readonly it: Explanation; readonly path: string }) {
  return (
    <Act
      name={it.type === 'user' ? 'User' : 'Group'}
      label="Take over"
      meaning="From now on the bridge may write it; what the service holds is what is wanted."
      command={`scim-bridge adopt ${it.id}`}
      path={`${path}/adopt`}
      body={{}}
      confirm={`The bridge takes ${it.name} over as the service holds it. A provider may then change and deactivate it.`}
    />
  );
}

function toFound({ gone, differences, repair, calls, unfinished }: Ops<'Look'>): string {
  if (gone) return 'The service has it no more.';
  if (differences.length === 0) {
    const but = unfinished ? ' but what waits, is stuck or is held' : '';
    return `Nothing differs${but} (${toCount(calls, 'call')}).`;
  }
  const kinds = differences.map(({ kind, member }) =>
    member === null ? toKind(kind) : `${toKind(kind)} ${member.name ?? member.id}`,
  );
  const then = repair?.exceeded.length ? ` Not repaired: ${repair.exceeded.join(', ')}.` : '';
  return `${kinds.join(', ')}.${repair?.planId ? ' It is repaired by a plan.' : then}`;
}
