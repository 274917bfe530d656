import type { Ops } from '../api/types.ts';
import { Act, Acts } from '../parts/act.tsx';
import { quote } from '../parts/command.tsx';
import { toKind } from '../plans/words.ts';

type Explanation = Ops<'Explanation'>;

/** What an operator can do about one user or group. */
export function ResourceActs({ it }: { readonly it: Explanation }) {
  const path = `/${it.type}s/${it.id}`;
  const isWaiting = it.problem !== null || it.dueAt !== null;
  return (
    <Acts>
      <Act
        name="Look"
        label="Look now"
        isMain
        meaning="Reads it in the service now, with at most three calls, and says what differs."
        command={`scim-bridge look ${quote(it.name)}`}
        path={`${path}/look`}
        body={{}}
        told={toFound}
      />
      {it.managed !== 'no' && (
        <Act
          name="Look"
          label="Look and repair"
          meaning="Also changes back what differs, within the limits."
          command={`scim-bridge look ${quote(it.name)} --repair`}
          path={`${path}/look`}
          body={{ repair: true }}
          told={toFound}
        />
      )}
      {isWaiting && (
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

function Adopt({ it, path }: { readonly it: Explanation; readonly path: string }) {
  return (
    <Act
      name={it.type === 'user' ? 'User' : 'Group'}
      label="Take over"
      meaning="From now on the bridge may write it; what the service holds is what is wanted."
      command={`scim-bridge adopt ${quote(it.name)}`}
      path={`${path}/adopt`}
      body={{}}
      confirm={`The bridge takes ${it.name} over as the service holds it. A provider may then change and deactivate it.`}
    />
  );
}

function toFound({ gone, differences, repair, calls }: Ops<'Look'>): string {
  if (gone) return 'The service has it no more.';
  if (differences.length === 0) return `Nothing differs (${calls} calls).`;
  const kinds = differences.map(({ kind, member }) =>
    member === null ? toKind(kind) : `${toKind(kind)} ${member.name ?? member.id}`,
  );
  const then = repair?.exceeded.length ? ` Not repaired: ${repair.exceeded.join(', ')}.` : '';
  return `${kinds.join(', ')}.${repair?.planId ? ' It is repaired by a plan.' : then}`;
}
