import { toCount } from '../domain/text.ts';
import type { CheckReport, CheckResult } from '../ops/check/check-service.ts';
import type { Column } from '../ops/lists/list.ts';
import type { TransportOptions } from '../upstream/transport.ts';
import { type AddCommand, commandOf, exitCodes, JSON_OBJECT } from './command.ts';
import { toTable } from './table.ts';

/** `check`: tests if the bridge can work with the service and the store, without changing them. */
export function checkCommand(deps: Pick<TransportOptions, 'clock' | 'random'>): AddCommand {
  return commandOf({
    usage: 'check',
    about:
      'look at the service and the store without changing them: address, token, rights, page limits',
    options: [JSON_OBJECT],
    help: `
Only reads are sent to the service, at the rate of upstream.requestsPerSecond.`,
    async run({ loadSettings, showProgress }) {
      const { settings } = loadSettings();
      // Loaded on demand: no other command needs them.
      const { openService } = await import('./open-service.ts');
      const { checkStore } = await import('./store-work.ts');
      const { checkService } = await import('../ops/check/check-service.ts');
      const transport = openService(settings, NO_SERVICE, { ...deps, isReading: true });
      const { url = '', ...rest } = settings.upstream;
      showProgress?.('Looking at the service');
      const [probed, store] = await Promise.all([
        checkService(transport, { ...rest, url }),
        checkStore(settings),
      ]).finally(() => transport.close());
      const ok = probed.ok && store.status !== 'failed';
      const json = { ...probed, ok, checks: [...probed.checks, store] };
      return { json, text: toReportText(json), code: ok ? exitCodes.done : exitCodes.failed };
    },
  });
}

const NO_SERVICE =
  'upstream.url is not set: there is no service to check, only the embedded sandbox. Set UPSTREAM_URL and UPSTREAM_TOKEN.';

const COLUMNS: readonly Column<CheckResult>[] = [
  { name: 'status', value: ({ status }) => status },
  { name: 'check', value: ({ title }) => title },
  { name: 'finding', value: ({ detail, remedy }) => (remedy ? `${detail} → ${remedy}` : detail) },
];

function toReportText({ service, checks, calls }: CheckReport): string {
  const count = (of: CheckResult['status']) => checks.filter(({ status }) => status === of).length;
  const sums = [toCount(count('failed'), 'failure'), toCount(count('warning'), 'warning')];
  const head = `Service  ${service.url} (REST under /api/${service.apiVersion})\n`;
  // A finding is whole, however long: it says what to do.
  const table = toTable(checks, COLUMNS, {});
  return `${head}\n${table}\n${sums.join(', ')}, ${toCount(calls, 'call')}.\n`;
}
