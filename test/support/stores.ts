import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, inject } from 'vitest';
import { openStore, type Store } from '../../src/store/database.ts';
import {
  copyPostgresTemplate,
  copySqliteTemplate,
  createEmptyDatabase,
  dropDatabase,
} from './store-templates.ts';

/** What a suite gets for each engine. Everything it makes is closed and removed after the suite. */
export interface StoreSuite {
  readonly engine: Store['engine'];
  /** Opens a store on a fresh database with all tables and no rows. */
  makeStore(): Promise<Store>;
  /** The URL of a fresh database: `migrated` has all tables and no rows, `empty` not even tables. */
  makeUrl(content: 'migrated' | 'empty'): Promise<string>;
  /** Opens a store that is closed after the suite. */
  open(url: string): Promise<Store>;
}

/**
 * Runs the same suite on SQLite and on PostgreSQL (skipped where no PostgreSQL is installed):
 * `describeStores('users', ({ makeStore }) => { test('…', async () => { const store = await makeStore(); … }) })`.
 */
export function describeStores(title: string, suite: (stores: StoreSuite) => void): void {
  describe(`${title} (sqlite)`, () => suite(sqliteSuite()));
  describePostgres(title, suite);
}

/** The PostgreSQL half of `describeStores`, for promises that only a server can be asked to keep. */
export function describePostgres(title: string, suite: (stores: StoreSuite) => void): void {
  const postgresUrl = inject('postgresUrl');
  describe.skipIf(postgresUrl === undefined)(`${title} (postgres)`, () =>
    suite(postgresSuite(postgresUrl ?? '')),
  );
}

function sqliteSuite(): StoreSuite {
  const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-store-'));
  const open = closingAfterAll(async () => rmSync(folder, { recursive: true, force: true }));
  const makeUrl = async (content: 'migrated' | 'empty') => {
    const path = join(folder, `${uniqueName()}.db`);
    return content === 'empty' ? `sqlite:${path}` : copySqliteTemplate(getTemplate(), path);
  };
  return {
    engine: 'sqlite',
    makeUrl,
    open,
    makeStore: async () => open(await makeUrl('migrated')),
  };
}

function postgresSuite(postgresUrl: string): StoreSuite {
  const names: string[] = [];
  const open = closingAfterAll(async () => {
    for (const name of names) await dropDatabase(postgresUrl, name);
  });
  const makeUrl = async (content: 'migrated' | 'empty') => {
    getTemplate();
    const name = uniqueName();
    names.push(name);
    return content === 'empty'
      ? createEmptyDatabase(postgresUrl, name)
      : copyPostgresTemplate(postgresUrl, name);
  };
  return {
    engine: 'postgres',
    makeUrl,
    open,
    makeStore: async () => open(await makeUrl('migrated')),
  };
}

/** Registers the clean-up of the surrounding `describe`. @returns how to open what it closes. */
function closingAfterAll(removeDatabases: () => Promise<void>): (url: string) => Promise<Store> {
  const opened: Store[] = [];
  afterAll(async () => {
    for (const store of opened) await store.close();
    await removeDatabases();
  });
  return async (url) => {
    const store = await openStore({ url, connectionsMax: 4 });
    opened.push(store);
    return store;
  };
}

/** @throws Error with the reason when the migrations failed before the run. */
function getTemplate(): string {
  const failure = inject('templateFailure');
  if (failure !== undefined) throw new Error(`the migrations failed: ${failure}`);
  return inject('sqliteTemplate');
}

function uniqueName(): string {
  return `t_${randomBytes(8).toString('hex')}`;
}
