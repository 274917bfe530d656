import type { Clock } from '../domain/clock.ts';
import { checkService, toText } from '../ops/check/check-service.ts';
import { SettingsError } from '../settings/errors.ts';
import type { Check } from './check.ts';
import { checkStore } from './check-store.ts';
import { exitCodes } from './exit-codes.ts';
import { toJson } from './json.ts';

/**
 * Creates the probe behind `check`, of the service and the store: it prints its findings and returns 0, or 1 when a check failed.
 * @throws SettingsError without `upstream.url`: there is nothing to check of the embedded sandbox.
 */
export function createCheck(deps: { clock: Clock; random: () => number }): Check {
  return async ({ loaded, format, write, told }) => {
    const { url, token, ...rest } = loaded.settings.upstream;
    if (url === undefined || token === undefined) {
      const message =
        'upstream.url is not set: there is no service to check, only the embedded sandbox. Set UPSTREAM_URL and UPSTREAM_TOKEN.';
      throw new SettingsError([{ setting: 'upstream.url', message }]);
    }
    const [probed, store] = await Promise.all([
      checkService({ ...rest, url, token }, { ...deps, told }),
      checkStore(loaded.settings),
    ]);
    const ok = probed.ok && store.status !== 'failed';
    const report = { ...probed, ok, checks: [...probed.checks, store] };
    write(format === 'json' ? toJson(report) : toText(report));
    return report.ok ? exitCodes.done : exitCodes.failed;
  };
}
