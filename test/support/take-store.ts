import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import {
  copyPostgresTemplate,
  copySqliteTemplate,
  createEmptyDatabase,
  databaseUrl,
  dropDatabase,
  emptyDatabase,
} from './store-templates.ts';
import { getTemplate } from './template.ts';

export type Engine = 'sqlite' | 'postgres';
/** `migrated` has all tables and no rows, `empty` not even tables. */
export type StoreContent = 'migrated' | 'empty';

/** A store and its end. */
export interface TakenStore {
  readonly url: string;
  /** Removes it, or leaves it to the next who takes one. */
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
