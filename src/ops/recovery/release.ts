import { toCount } from '../../domain/text.ts';
import type { ReleaseProgress } from '../../reconcile/repair/release-progress.ts';
import { toMoment } from '../http/moment.ts';
import type { ReleaseView } from '../schemas/kinds.ts';

/** Renders how far an approved plan has come. */
export function toReleaseView(progress: ReleaseProgress | undefined): ReleaseView | null {
  if (progress === undefined) return null;
  const { startedAt, endsAt, ...counts } = progress;
  return { ...counts, startedAt: toMoment(startedAt), endsAt: endsAt ? toMoment(endsAt) : null };
}

/** Prints how far an approved plan has come, and how long it takes at the rate so far. `now` is epoch milliseconds. */
export function toReleaseText(
  { total, done, stuck, startedAt, endsAt }: ReleaseView,
  now: number,
): string {
  const refused = stuck === 0 ? '' : `, ${stuck} stuck`;
  const rest = endsAt === null ? '' : `, about ${toWords(Date.parse(endsAt) - now)} left`;
  return `The approved plan: ${done} of ${toCount(total, 'person or group is', 'people and groups are')} done${refused}${rest} (begun at ${startedAt})\n`;
}

function toWords(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1_000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
