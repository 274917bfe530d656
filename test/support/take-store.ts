import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, inject, onTestFinished } from 'vitest';
import { makeFolder } from './lifetimes.ts';
import {
  copyPostgresTemplate,
  copySqliteTemplate,
  createEmptyDatabase,
  databaseUrl,
  dropDatabase,
  emptyDatabase,
} from './store-templates.ts';

export type Engine = 'sqlite' | 'postgres';
/** `migrated` has all tables and no rows, `empty` not even tables. */
export type StoreContent = 'migrated' | 'empty';

/** A store and its end. */
export interface TakenStore {
  readonly url: string;
  giveBack(): Promise<void>;
}

/** Making a database takes 100 ms, emptying one takes 5: those that tests have left are kept until the server goes. */
const unused: string[] = [];

/** A fresh store. */
export async function takeStore(
  engine: Engine,
  content: StoreContent = 'migrated',
): Promise<TakenStore> {
  return engine === 'sqlite' ? takeFile(content) : takeDatabase(content);
}

function takeFile(content: StoreContent): TakenStore {
  const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-store-'));
  const path = join(folder, 'store.db');
  return {
    url: content === 'empty' ? `sqlite:${path}` : copySqliteTemplate(getTemplate(), path),
    giveBack: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function takeDatabase(content: StoreContent): Promise<TakenStore> {
  getTemplate();
  const postgresUrl = inject('postgresUrl');
  if (postgresUrl === undefined) throw new Error('no PostgreSQL is installed');
  const known = content === 'migrated' ? unused.pop() : undefined;
  const name = known ?? `t_${randomBytes(8).toString('hex')}`;
  if (content === 'empty') {
    const url = await createEmptyDatabase(postgresUrl, name);
    return { url, giveBack: () => dropDatabase(postgresUrl, name) };
  }
  return {
    url:
      known === undefined
        ? await copyPostgresTemplate(postgresUrl, name)
        : databaseUrl(postgresUrl, name),
    async giveBack() {
      if (await emptyDatabase(postgresUrl, name)) unused.push(name);
      else await dropDatabase(postgresUrl, name);
    },
  };
}

/** The migrated, empty SQLite store to copy. @throws Error with the reason when the migrations failed before the run. */
export function getTemplate(): string {
  const failure = inject('templateFailure');
  if (failure !== undefined) throw new Error(`the migrations failed: ${failure}`);
  return inject('sqliteTemplate');
}

/** The URL of a migrated, empty store, of the run's engine when none is given, that lasts until the test ends: for bridges one after another. */
export async function makeStoreUrl(engine: Engine = inject('engine')): Promise<string> {
  const { url, giveBack } = await takeStore(engine);
  onTestFinished(giveBack);
  return url;
}

const SQLITE = 'sqlite:';

/** A place for a SQLite file that outlives the bridges on it, until the test ends. Returns its `DATABASE_URL`. */
export function makeStoreFile(): string {
  return `${SQLITE}${join(makeFolder(), 'bridge.db')}`;
}

/** Copies a SQLite file as a crash at this moment would leave it. Returns the `DATABASE_URL` of the copy. */
export function copyStore(url: string): string {
  const copy = makeStoreFile();
  for (const part of ['', '-wal']) {
    const [from, to] = [url, copy].map((one) => `${one.slice(SQLITE.length)}${part}`);
    if (from !== undefined && to !== undefined && existsSync(from)) copyFileSync(from, to);
  }
  return copy;
}

/** Everything that a SQLite file and the log beside it hold, as text: what is in neither is nowhere in the store. */
export function readStoreBytes(url: string): string {
  const file = url.slice(SQLITE.length);
  const parts = ['', '-wal'].map((part) => `${file}${part}`).filter((path) => existsSync(path));
  return parts.map((path) => readFileSync(path, 'latin1')).join();
}

/** Runs a suite of processes, or of bridges, that share one PostgreSQL; skipped where none is installed. */
export function describePostgres(
  title: string,
  suite: (stores: { makeUrl(): Promise<string> }) => void,
): void {
  const makeUrl = () => makeStoreUrl('postgres');
  describe.skipIf(inject('postgresUrl') === undefined)(title, () => suite({ makeUrl }));
}
