import { countDrifts } from '../../src/ops/lists/details.ts';
import type { Tone } from '../../src/ops/lists/list.ts';
import { toCount } from '../../src/ops/lists/words.ts';
import type { Ops } from '../api/types.ts';

type Status = Ops<'Status'>;

/** Something that waits for an operator, or that will not end by itself. */
export interface Concern {
  readonly title: string;
  readonly remedy: string;
  /** Page that shows it. */
  readonly page?: Place;
}

/** A page of the console, with its filters. */
interface Place {
  readonly to: '/plans' | '/drifts' | '/credentials' | '/users' | '/groups' | '/requests';
  readonly search?: Readonly<Record<string, string>>;
}

/** Answers "may I leave it alone?" from the state of the bridge. @param isHeard false: what is known of it may be old */
export function toVerdict(
  status: Status,
  isHeard: boolean,
): { readonly tone: Tone; readonly line: string; readonly concerns: readonly Concern[] } {
  if (!isHeard) {
    return { tone: 'bad', line: 'Not known. The bridge does not answer this page.', concerns: [] };
  }
  const concerns = [...listConcerns(status)];
  const count = concerns.length;
  if (status.status === 'unavailable' && status.firstRead === null) {
    return { tone: 'bad', line: 'No. The bridge cannot serve requests.', concerns };
  }
  if (status.firstRead !== null && count === 0) {
    return { tone: 'waiting', line: 'Soon. It reads the service for the first time.', concerns };
  }
  const things = count === 1 ? 'One thing needs' : `${count} things need`;
  if (count > 0) return { tone: 'waiting', line: `Not yet. ${things} you.`, concerns };
  const line =
    status.due === 0
      ? 'Yes. The service holds everything that was asked for.'
      : `Yes. It works through what was asked for${toEnd(status)}.`;
  return { tone: 'good', line, concerns };
}

/** The end of the queue in a few words; nothing where it cannot be told. */
function toEnd({ queue }: Status): string {
  const last = queue.classes.findLast(({ waiting }) => waiting > 0);
  if (last === undefined || last.endMs === null) return '';
  return `, done in ${Math.max(1, Math.ceil(last.endMs / 60_000))} min at the earliest`;
}

function* listConcerns(status: Status): Generator<Concern> {
  for (const { code, detail, remedy } of status.reasons) {
    // It has a place of its own, and nobody has to do anything about it.
    if (code === 'first-read') continue;
    const page = PAGES[code];
    yield { title: detail, remedy, ...(page && { page }) };
  }
  yield* listDrifts(status);
  if (status.lastSweep?.status === 'incomplete') {
    yield {
      title: `The last comparison was not complete: ${status.lastSweep.reasons.join('; ')}`,
      remedy: 'What was not compared may differ. `scim-bridge sweep` compares again.',
    };
  }
}

function* listDrifts(status: Status): Generator<Concern> {
  const [contested, open] = [countDrifts(status, 'contested').count, countDrifts(status, 'open')];
  if (contested > 0) {
    yield {
      title: `${toCount(contested, 'difference')} came back after each repair: somebody else wants it otherwise.`,
      remedy: 'Find out who changes it, then repair, accept or ignore it.',
      page: { to: '/drifts', search: { status: 'contested' } },
    };
  }
  // A plan that waits is a concern by itself.
  if (open.count > open.held) {
    yield {
      title: `${toCount(open.count, 'difference')} in the service, made by others, ${open.count === 1 ? 'waits' : 'wait'} for your decision${open.held === 0 ? '' : `, ${open.held} of them in a plan`}.`,
      remedy: 'Repair, accept or ignore each, or have `drift.policy` decide from now on.',
      page: { to: '/drifts' },
    };
  }
}

/** Pages that show more of a reason, by its code in `/readyz`. */
const PAGES: Readonly<Record<string, Place>> = {
  'plan-held': { to: '/plans', search: { status: 'held' } },
  recovery: { to: '/plans', search: { status: 'held' } },
  stuck: { to: '/users', search: { state: 'stuck' } },
  'no-seat': { to: '/users', search: { state: 'due' } },
  failing: { to: '/users', search: { state: 'due' } },
  behind: { to: '/users', search: { state: 'due' } },
  disputed: { to: '/users', search: { state: 'disputed' } },
  'no-credential': { to: '/credentials' },
  'credential-expires': { to: '/credentials' },
  'provider-harm': { to: '/requests' },
  'provider-silent': { to: '/requests' },
};
