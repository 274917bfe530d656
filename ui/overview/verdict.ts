import { toCount } from '../../src/domain/values.ts';
import { countDrifts } from '../../src/ops/lists/details.ts';
import type { Ops } from '../api/types.ts';

type Status = Ops<'Status'>;

/** Something that waits for an operator, or that will not end by itself. */
export interface Concern {
  readonly title: string;
  readonly remedy: string;
  readonly page?: Place | undefined;
}

type Page = '/plans' | '/drifts' | '/credentials' | '/users' | '/groups' | '/requests' | '/leavers';

interface Place {
  readonly to: Page;
  readonly search?: Readonly<Record<string, string>>;
}

/** Answers "may I leave it alone?" from the state of the bridge. @param isHeard false: what is known of it may be old */
export function toVerdict(status: Status, isHeard: boolean) {
  if (!isHeard) {
    return { tone: 'bad', line: 'Not known. The bridge does not answer this page.', concerns: [] };
  }
  const isFirst = status.firstRead !== null;
  const concerns = listConcerns(status);
  const count = concerns.length;
  if (status.status === 'unavailable' && !isFirst) {
    return { tone: 'bad', line: 'No. The bridge cannot serve requests.', concerns };
  }
  if (count > 0) {
    const things = count === 1 ? 'One thing needs' : `${count} things need`;
    return { tone: 'waiting', line: `Not yet. ${things} you.`, concerns };
  }
  if (isFirst) {
    return { tone: 'waiting', line: 'Soon. It reads the service for the first time.', concerns };
  }
  const what = status.due === 0 ? 'The service holds everything that' : 'It works through what';
  return { tone: 'good', line: `Yes. ${what} was asked for.`, concerns };
}

function listConcerns(status: Status): Concern[] {
  // The first read has a place of its own, and nobody has to do anything about it.
  const reasons = status.reasons.filter(({ code }) => code !== 'first-read');
  const { lastSweep } = status;
  const [contested, open] = [countDrifts(status, 'contested').count, countDrifts(status, 'open')];
  const inPlan = open.held === 0 ? '' : `, ${open.held} of them in a plan`;
  const waits = open.count === 1 ? 'waits' : 'wait';
  return [
    ...reasons.map(({ code, detail: title, remedy }) => {
      const isOfGroup = code === 'stuck' && status.stuck[0]?.type === 'group';
      return { title, remedy, page: isOfGroup ? STUCK_GROUPS : PAGES[code] };
    }),
    contested > 0 && {
      title: `${toCount(contested, 'difference')} came back after each repair: somebody else wants it otherwise.`,
      remedy: 'Find out who changes it, then repair, accept or ignore it.',
      page: { to: '/drifts', search: { status: 'contested' } } as const,
    },
    // A plan that waits is a concern by itself.
    open.count > open.held && {
      title: `${toCount(open.count, 'difference')} in the service, made by others, ${waits} for your decision${inPlan}.`,
      remedy: 'Repair, accept or ignore each, or have `drift.policy` decide from now on.',
      page: { to: '/drifts' } as const,
    },
    lastSweep?.status === 'incomplete' && {
      title: `The last comparison was not complete: ${lastSweep.reasons.join('; ')}`,
      remedy: 'What was not compared may differ. `scim-bridge sweep` compares again.',
    },
  ].filter((concern) => concern !== false);
}

const HELD = { to: '/plans', search: { status: 'held' } } as const;
const STUCK_GROUPS = { to: '/groups', search: { stuck: 'true' } } as const;
const DUE = { to: '/users', search: { due: 'true' } } as const;

/** Pages that show more of a reason, by its code in `/readyz`. */
const PAGES: Readonly<Record<string, Place>> = {
  'plan-held': HELD,
  recovery: HELD,
  stuck: { to: '/users', search: { stuck: 'true' } },
  'no-seat': DUE,
  failing: DUE,
  behind: DUE,
  'leavers-late': { to: '/leavers', search: { status: 'waits' } },
  disputed: { to: '/users', search: { disputed: 'true' } },
  'no-credential': { to: '/credentials' },
  'credential-expires': { to: '/credentials' },
  'provider-harm': { to: '/requests' },
};
