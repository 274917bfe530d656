import type { Evidence } from './evidence.ts';
import type { CheckResult, GuessResult } from './report.ts';

/**
 * Whether a setting that was fixed by hand contradicts what the service shows. `auto` finds out by itself, and a page
 * size that is too large only costs calls; a wrong group id would write to another group.
 */
export function listSettingChecks(
  { settings }: Evidence,
  guesses: readonly GuessResult[],
): CheckResult[] {
  const found = guesses.find(({ id }) => id === 'group-scim-id')?.value;
  const set = settings.groupScimId;
  if (found === undefined || set === 'auto' || found === set) return [];
  return [
    {
      id: 'settings.groupScimId',
      title: 'upstream.groupScimId',
      status: 'failed',
      detail: `set to ${set}, which is not what the service shows: groups would be mixed up`,
      remedy: `Set it to ${found}, or to auto.`,
    },
  ];
}
