import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { toReconcilePolicy, toScimPolicy } from '../../../src/app/settings.ts';
import type { Lessons } from '../../../src/reconcile/deps.ts';
import { loadSettings } from '../../../src/settings/load.ts';
import { openStore } from '../../../src/store/engine/database.ts';
import { execute } from '../../../src/store/engine/dialect.ts';
import type { Store } from '../../../src/store/store.ts';
import { createShared, deleteWhere } from '../../../src/store/tables.ts';
import { copySqliteTemplate } from '../../support/store-templates.ts';

/** What the schedules of one test file share: a store, emptied for each of them. */
export type World = Awaited<ReturnType<typeof openWorld>>;

const MEMORY = '/dev/shm';

/** Learned before, so that no schedule has to try forms and each can be repeated alone. */
const at = Number.MAX_SAFE_INTEGER;
const QUIRKS: Lessons = {
  emailForm: { value: 'strings', at },
  nameOnCreate: { value: true, at },
  memberForm: { value: 'operations', at },
  groupScimId: { value: 'restId', at },
  addressMayChange: { value: false, at },
  userFilter: { value: 'proven', at },
};

/** Opens a store of its own, a copy of the migrated `template`. A version that goes down fails the write that does it. */
export async function openWorld(template: string) {
  const folder = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'scim-bridge-world-'));
  const path = join(folder, 'bridge.db');
  const url = copySqliteTemplate(template, path);
  const { settings } = loadSettings({
    env: { DATABASE_URL: url },
    readFile: (path) => readFileSync(path, 'utf8'),
  });
  const store = await openStore({ url });
  await store.write(async (tx) => {
    await createShared<Lessons>('forms').save(tx, QUIRKS, 0);
    await forbidGoingDown(tx);
  });
  const backDoor = openBackDoor(path);
  return {
    store,
    policies: {
      scim: toScimPolicy(settings),
      reconcile: toReconcilePolicy(settings),
      callMs: settings.upstream.timeout * 3,
    },
    empty: () => store.write(empty),
    findNextAt: backDoor.findNextAt,
    async close() {
      backDoor.close();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const EMPTIED = ['resources', 'disputes', 'leader', 'errands', 'own_calls'] as const;

async function empty(tx: Store['read']): Promise<void> {
  for (const table of EMPTIED) await deleteWhere(tx, table, {});
  await createShared<Lessons>('forms').save(tx, QUIRKS, 0);
}

/** A connection of the schedules' own, many times cheaper than the store, which is asked between all steps. */
function openBackDoor(path: string) {
  const database = new DatabaseSync(path);
  const nextAt = database.prepare('select min(due_at) as at from resources');
  return {
    findNextAt() {
      const at = nextAt.get()?.at;
      return typeof at === 'number' ? at : undefined;
    },
    close: () => database.close(),
  };
}

async function forbidGoingDown(tx: Store['read']): Promise<void> {
  await execute(tx)`create trigger version_rises before update of version on resources
    when new.version < old.version begin select raise(abort, 'version went down'); end`;
}
