import { existsSync } from 'node:fs';
import { toCount } from '../domain/text.ts';
import type { CheckReport, CheckResult } from '../ops/check/check-service.ts';
import type { Column } from '../ops/lists/list.ts';
import type { Settings } from '../settings/schema.ts';
import { findStoreFile, toStoreUrl } from '../settings/store-url.ts';
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

/** Looks at the store of the settings; a bridge may run on it. */
async function checkStore(settings: Settings): Promise<CheckResult> {
  const row = { id: 'store', title: 'store' } as const;
  const { StoreError } = await import('../store/engine/store-error.ts');
  try {
    return { ...row, status: 'ok', detail: await describeStore(settings) };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const remedy = 'See DATABASE_URL in docs/settings.md, and docs/runbook.md#error-codes.';
    return { ...row, status: 'failed', detail: `${error.code}: ${error.message}`, remedy };
  }
}

/** @throws StoreError for a store that this version cannot use */
async function describeStore(settings: Settings): Promise<string> {
  const { StoreError } = await import('../store/engine/store-error.ts');
  const { openStore } = await import('../store/engine/database.ts');
  const { assertKnown, listApplied, MIGRATIONS } = await import('../store/engine/migrate.ts');
  const { inspectSqlite } = await import('../store/engine/sqlite-backup.ts');
  const path = findStoreFile(settings);
  if (path !== undefined && !existsSync(path)) return `SQLite: none yet, a start makes ${path}`;
  const readApplied = async () => {
    const store = await openStore({ url: toStoreUrl(settings) });
    return listApplied(store.read).finally(store.close);
  };
  const file = path === undefined ? undefined : inspectSqlite(path);
  if (file?.isWhole === false) throw new StoreError('store-corrupt', `${path} is damaged`);
  const applied = file?.migrations ?? (await readApplied());
  assertKnown(applied);
  const isCurrent = applied.length >= MIGRATIONS.length;
  const age = isCurrent ? 'of this version' : 'a start brings it up to date';
  return `${path === undefined ? 'PostgreSQL' : `SQLite: ${path}`}, ${age}`;
}
