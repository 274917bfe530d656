import { toCount } from '../../domain/text.ts';
import type { LateLeavers } from '../../store/resources/leavers.ts';
import { toMoment } from '../http/moment.ts';
import type { Status } from '../schemas/state.ts';
import type { WritesFacts } from './readiness-facts.ts';
import type { Reason } from './reason.ts';

/** Time after which a leaver who is not out is told, in milliseconds. */
export const LEAVER_LATE_MS = 5 * 60_000;

/** Decision of an operator that keeps leavers in. */
export type LeaverHold = NonNullable<NonNullable<Status['leavers']>['heldBy']>;

/** Finds the decision of an operator that keeps a leaver in; undefined: the service does. */
export function findLeaverHold(
  { plan }: { readonly plan: string | null },
  { mode, pause }: WritesFacts,
): LeaverHold | undefined {
  if (plan !== null) return 'plan';
  if (mode === 'observe') return 'observe-mode';
  return pause && 'writes-paused';
}

/** Renders the leavers who are not out; null: there are none. */
export function toLeaversStatus({ count, some }: LateLeavers, writes: WritesFacts) {
  const [oldest] = some;
  if (oldest === undefined) return null;
  const toView = (leaver: LateLeavers['some'][number]) => ({
    since: toMoment(leaver.leftAt),
    heldBy: findLeaverHold(leaver, writes) ?? null,
    plan: leaver.plan,
  });
  const first = some.map((leaver) => ({
    ...{ id: leaver.id, name: leaver.userName, ...toView(leaver) },
  }));
  return { count, ...toView(oldest), first };
}

/** The reason that people who left more than five minutes ago are not out; none where there are none. */
export function listLateLeavers({ count, some }: LateLeavers): Reason[] {
  const [oldest] = some;
  if (oldest === undefined) return [];
  const who = toCount(count, 'person who left', 'people who left');
  return [
    {
      code: 'leavers-late',
      detail: `${who} were not seen to be out after five minutes, the first since ${toMoment(oldest.leftAt)}.`,
      remedy:
        '`scim-bridge leavers --status waits` says who and why; see the other reasons, or take the access away in the service.',
    },
  ];
}
