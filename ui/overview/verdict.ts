import type { Ops } from '../api/types.ts';
import type { Tone } from '../parts/tag.tsx';

/** Something that waits for an operator, or that will not end by itself. */
export interface Concern {
  readonly title: string;
  readonly remedy: string;
  /** Page that shows it. */
  readonly to?: '/plans' | '/drifts' | '/credentials' | '/users' | '/requests';
}

/** Answer to "may I leave it alone?". */
export interface Verdict {
  readonly tone: Tone;
  readonly line: string;
  readonly concerns: readonly Concern[];
}

/** Decides the answer from the state of the bridge and the plans that wait. */
export function toVerdict(status: Ops<'Status'>, heldPlans: number): Verdict {
  const concerns = [...listConcerns(status, heldPlans)];
  const count = concerns.length;
  const things = count === 1 ? 'One thing needs' : `${count} things need`;
  if (status.status === 'unavailable') {
    return { tone: 'bad', line: `No. The bridge cannot serve requests.`, concerns };
  }
  if (count > 0) return { tone: 'waiting', line: `Not yet. ${things} you.`, concerns };
  if (status.writes.mode === 'observe') {
    return { tone: 'good', line: 'Yes. It observes and changes nothing.', concerns };
  }
  const line =
    status.due === 0
      ? 'Yes. The service holds everything that was asked for.'
      : 'Yes. It works through what was asked for.';
  return { tone: 'good', line, concerns };
}

function* listConcerns(status: Ops<'Status'>, heldPlans: number): Generator<Concern> {
  const toldCodes = new Set(status.reasons.map(({ code }) => code));
  for (const { code, detail, remedy } of status.reasons) {
    const to = PAGES[code];
    yield { title: detail, remedy, ...(to && { to }) };
  }
  if (heldPlans > 0 && !['plan-held', 'recovery'].some((code) => toldCodes.has(code))) {
    yield {
      title:
        heldPlans === 1 ? 'A plan waits for a decision.' : `${heldPlans} plans wait for decisions.`,
      remedy: 'Read what it would do, then approve or discard it.',
      to: '/plans',
    };
  }
  if (status.stuckCount > 0 && ![...toldCodes].some((code) => code.includes('stuck'))) {
    yield {
      title: `The service refuses ${status.stuckCount} acknowledged changes.`,
      remedy:
        'Read its words below. What is mended there is tried again within an hour, or now with Retry.',
    };
  }
}

const PAGES: Readonly<Record<string, Concern['to']>> = {
  'plan-held': '/plans',
  recovery: '/plans',
  'drift-open': '/drifts',
  'credentials-expiring': '/credentials',
  'token-expiring': '/credentials',
  disputed: '/users',
};
