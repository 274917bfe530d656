import { useState } from 'react';
import { ADOPT, LOOK, RETRY } from '../../src/ops/lists/acts.ts';
import type { Ops } from '../api/types.ts';
import { Act, Acts } from '../parts/act.tsx';

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
