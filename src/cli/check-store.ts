import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { sql } from 'kysely';
import type { CheckResult } from '../ops/check/check-service.ts';
import type { Settings } from '../settings/schema.ts';
import { findStoreFile, toStoreUrl } from '../settings/store-url.ts';
import { openStore } from '../store/engine/database.ts';
import { assertKnown, listApplied, MIGRATIONS } from '../store/engine/migrate.ts';
import { inspectSqlite } from '../store/engine/sqlite-backup.ts';
import { StoreError } from '../store/engine/store-error.ts';
import { findWeaknesses } from '../store/engine/store-health.ts';

const REMEDY = 'See DATABASE_URL in docs/settings.md, and docs/runbook.md#error-codes.';

/** Looks at the store of the settings without changing it; a bridge may run on it. */
export async function checkStore(settings: Settings): Promise<CheckResult> {
  const path = findStoreFile(settings);
  try {
    return path === undefined ? await checkServer(toStoreUrl(settings)) : checkFile(path);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return toResult('failed', `${error.code}: ${error.message}`, REMEDY);
  }
}

function checkFile(path: string): CheckResult {
  if (!existsSync(path)) {
    const folder = findFolder(path);
    if (!isWritable(folder)) return toUnwritable(folder);
    return toResult('ok', `SQLite: none yet, a start makes ${path}`);
  }
  const { isWhole, migrations } = inspectSqlite(path);
  if (!isWhole) {
    return toResult('failed', `SQLite: ${path} is damaged`, 'Restore a backup: docs/recovery.md.');
  }
  assertKnown(migrations);
  // The log of SQLite lies beside the file.
  const unwritable = [path, dirname(path)].find((each) => !isWritable(each));
  if (unwritable !== undefined) return toUnwritable(unwritable);
  return toResult('ok', `SQLite: ${path}, ${toAge(migrations)}`);
}

async function checkServer(url: string): Promise<CheckResult> {
  const store = await openStore({ url });
  try {
    const { read } = store;
    const { rows } = await sql<{ version: string; isStandby: boolean; mayCreate: boolean }>`
      select current_setting('server_version') as version, pg_is_in_recovery() as "isStandby",
        coalesce(has_schema_privilege(current_schema(), 'create'), false) as "mayCreate"`.execute(
      read,
    );
    const [
      { version, isStandby, mayCreate } = { version: '', isStandby: false, mayCreate: false },
    ] = rows;
    if (isStandby) {
      return toResult('failed', `PostgreSQL ${version}: a standby, which takes no writes`, REMEDY);
    }
    const applied = await listApplied(read);
    assertKnown(applied);
    if (!mayCreate && applied.length < MIGRATIONS.length) {
      return toResult('failed', `PostgreSQL ${version}: the user may make no tables`, REMEDY);
    }
    const detail = `PostgreSQL ${version}, ${toAge(applied)}`;
    if (!(await findWeaknesses(read)).includes('not-flushed')) return toResult('ok', detail);
    return toResult(
      'warning',
      `${detail}; fsync is off`,
      'Set fsync = on: a crash of its host loses data.',
    );
  } finally {
    await store.close();
  }
}

function toAge(applied: readonly string[]): string {
  if (applied.length === 0) return 'empty: a start makes its tables';
  return applied.length < MIGRATIONS.length
    ? 'of an earlier version: a start brings it up to date'
    : 'of this version';
}

function toUnwritable(path: string): CheckResult {
  return toResult('failed', `SQLite: ${path} cannot be written by this user`, REMEDY);
}

function toResult(status: CheckResult['status'], detail: string, remedy?: string): CheckResult {
  return { id: 'store', title: 'store', status, detail, ...(remedy !== undefined && { remedy }) };
}

function findFolder(path: string): string {
  const folder = dirname(path);
  return existsSync(folder) ? folder : findFolder(folder);
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
