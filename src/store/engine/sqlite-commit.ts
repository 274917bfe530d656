import { open } from 'node:fs/promises';
import type { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import type { WriterTransaction } from './write-queue.ts';

/** Changed rows from which a commit is large: its pages and their way into the file take longer than a turn may. */
const LARGE_ROWS = 1_000;
/** Pages of the log at which a commit copies them into the file by itself; SQLite's default. */
const CHECKPOINT_PAGES = 1_000;

/** Copies the log into the file on a connection of its own. A text, because a worker loads no TypeScript of a package. */
const CHECKPOINT = `
  const { DatabaseSync } = require('node:sqlite');
  const { workerData } = require('node:worker_threads');
  const database = new DatabaseSync(workerData);
  database.exec('pragma synchronous=full; pragma wal_checkpoint(passive)');
  database.close();`;

/** Commits of the writer, the large ones beside the event loop as far as they can be. */
export interface Commits extends Pick<WriterTransaction, 'prepare' | 'commit'> {
  /** Number of commits so far. */
  count(): number;
  /** Resolves when nothing is at work beside the event loop. */
  settled(): Promise<void>;
}

/**
 * Commits of a file with a log. The log of a large transaction is brought to the disk before its commit and copied into
 * the file behind it, both on other threads; otherwise the commit would do both at once and hold the event loop.
 * @param commit commits; `execute` runs one statement on the writer. @throws StoreError from them
 */
export function createCommits(
  writer: DatabaseSync,
  {
    path,
    commit,
    execute,
  }: {
    readonly path: string;
    readonly commit: () => void;
    readonly execute: (text: string) => void;
  },
): Commits {
  const countChanges = writer.prepare('select total_changes() as changes');
  const readChanges = () => Number(countChanges.get()?.changes);
  let count = 0;
  let committed = readChanges();
  let copying: Promise<void> | undefined;
  let isLarge = false;

  async function copy(): Promise<void> {
    await checkpoint(path);
    copying = undefined;
    if (writer.isOpen) execute(`pragma wal_autocheckpoint=${CHECKPOINT_PAGES}`);
  }

  return {
    prepare() {
      const changes = readChanges();
      isLarge = changes - committed >= LARGE_ROWS;
      committed = changes;
      return isLarge ? flush(`${path}-wal`) : undefined;
    },
    commit() {
      if (isLarge) execute('pragma wal_autocheckpoint=0');
      commit();
      count += 1;
      if (isLarge) copying ??= copy();
    },
    count: () => count,
    settled: async () => copying,
  };
}

/** Brings what is written of a file to the disk, on another thread. */
async function flush(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** Ends also where it could not copy: the next commit does. */
function checkpoint(path: string): Promise<void> {
  const worker = new Worker(CHECKPOINT, { eval: true, workerData: path, execArgv: [], env: {} });
  return new Promise((resolve) => {
    worker.once('error', () => undefined).once('exit', () => resolve());
  });
}
