import type { Clock } from '../domain/clock.ts';
import { toCount } from '../domain/text.ts';
import type { CheckReport, CheckResult } from '../ops/check/check-service.ts';
import type { Column } from '../ops/lists/list.ts';
import { SettingsError } from '../settings/errors.ts';
import type { AddCommand, CliContext } from './context.ts';
import { exitCodes, toJson } from './json.ts';
import { toTable } from './table.ts';

/** `check`: tests whether the bridge can work with the service and the store, without changing them. */
export function checkCommand(deps: {
  readonly clock: Clock;
  readonly random: () => number;
}): AddCommand {
  return (program, context) => {
    program
      .command('check')
      .description(
        'look at the service and the store without changing them: address, token, rights, page limits',
      )
      .option('--json', 'as one JSON object')
      .addHelpText('after', HELP)
      .action(async ({ json }: { json?: true }) => {
        const { settings } = context.loadSettings();
        const { url, token, ...rest } = settings.upstream;
        if (url === undefined || token === undefined) {
          const message =
            'upstream.url is not set: there is no service to check, only the embedded sandbox. Set UPSTREAM_URL and UPSTREAM_TOKEN.';
          throw new SettingsError([{ setting: 'upstream.url', message }]);
        }
        // Loaded on demand: no other command needs them.
        const { checkService } = await import('../ops/check/check-service.ts');
        const { checkStore } = await import('./check-store.ts');
        context.showProgress?.('Looking at the service');
        const [probed, store] = await Promise.all([
          checkService({ ...rest, url, token }, deps),
          checkStore(settings),
        ]);
        const ok = probed.ok && store.status !== 'failed';
        const report = { ...probed, ok, checks: [...probed.checks, store] };
        context.write(json ? toJson(report) : toReportText(report, context));
        context.exitWith(ok ? exitCodes.done : exitCodes.failed);
      });
  };
}

const TONES = { ok: 'good', failed: 'bad', warning: 'waiting' } as const;

const COLUMNS: readonly Column<CheckResult>[] = [
  { name: 'status', value: ({ status }) => status, tone: ({ status }) => TONES[status] },
  { name: 'check', value: ({ title }) => title },
  { name: 'finding', value: ({ detail, remedy }) => (remedy ? `${detail} → ${remedy}` : detail) },
];

function toReportText({ service, checks, calls }: CheckReport, { terminal }: CliContext): string {
  const count = (of: CheckResult['status']) => checks.filter(({ status }) => status === of).length;
  const sums = [toCount(count('failed'), 'failure'), toCount(count('warning'), 'warning')];
  const head = `Service  ${service.url} (REST under /api/${service.apiVersion})\n`;
  // A finding is whole, however long: it says what to do.
  const wide = terminal && { ...terminal, columns: () => Number.POSITIVE_INFINITY };
  const table = toTable(checks, COLUMNS, { terminal: wide });
  return `${head}\n${table}\n${sums.join(', ')}, ${toCount(calls, 'call')}.\n`;
}

const HELP = `
Only reads are sent to the service, at the rate of upstream.requestsPerSecond.`;
