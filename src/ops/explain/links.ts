import type { LinkView } from '../../store/explained.ts';
import type { ExplainedLink, FieldStanding } from './explanation.ts';

/** Links of one list that are shown; the others are counted. */
export const LINKS_MAX = 200;

/** One link with how it stands; `from` says who wants it. */
export function toExplainedLink(link: LinkView, from: string | null): ExplainedLink {
  const { id, name, desired, observed } = link;
  return {
    id,
    name,
    desired: toFlag(desired),
    observed: toFlag(observed),
    from: desired === null ? null : from,
    standing: toLinkStanding(link),
  };
}

function toFlag(value: number | null): boolean | null {
  return value === null ? null : value === 1;
}

function toLinkStanding({ desired, observed, pending, stuck_at }: LinkView): FieldStanding {
  if (pending !== null) return stuck_at === null ? 'pending' : 'stuck';
  if (desired === null) return 'not ours';
  if (observed === null) return 'unknown';
  return desired === observed ? 'settled' : 'drifted';
}
