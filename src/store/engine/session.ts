import type { Db, Engine, Result, Store } from '../store.ts';
import { StoreError } from './store-error.ts';

/** Runs a statement on a connection. @throws StoreError */
export type Run = <Row>(text: string, values: readonly unknown[]) => Promise<Result<Row>>;

/** Creates what makes sessions of the connections of an engine. */
export function createSessions(engine: Engine) {
  let listener: Parameters<Store['onStatement']>[0] | undefined;

  /** Statements outside transactions. */
  const open = (run: Run): Db => ({
    engine,
    run: (statement) => run(engine === 'sqlite' ? statement.sql : statement.text, statement.values),
  });

  return {
    open,
    /** Calls `listen` after every statement from now on. */
    onStatement(listen: typeof listener) {
      listener = listen;
    },
    /** Runs statements as `run` does, for the listener to see. */
    watch(run: Run): Run {
      return async <Row>(text: string, values: readonly unknown[]) => {
        const beganAt = performance.now();
        let hasFailed = true;
        try {
          const result = await run<Row>(text, values);
          hasFailed = false;
          return result;
        } finally {
          const verb = VERB.exec(text)?.[1]?.toLowerCase() ?? 'other';
          listener?.({ verb, durationMs: performance.now() - beganAt, hasFailed });
        }
      };
    },
    /** Runs `work` in a transaction. What is kept of its `tx` is of no use afterwards. */
    async transact<T>(
      run: Run,
      { begin, commit, undo }: { begin: string; commit: string; undo(): Promise<unknown> },
      work: (tx: Db) => Promise<T>,
    ): Promise<T> {
      let over: 'committed' | 'undone' | undefined;
      const tx = open(async (text, values) => {
        if (over === undefined) return run(text, values);
        throw new StoreError('store-failed', `the write is already ${over}`);
      });
      await run(begin, []);
      try {
        const result = await work(tx);
        await run(commit, []);
        over = 'committed';
        return result;
      } catch (error) {
        over = 'undone';
        await undo();
        throw error;
      }
    },
  };
}

/** The first word of a statement. A `with` may read or change; a change is made with its own word first. */
const VERB = /^\s*(select|insert|update|delete|begin|commit|rollback)\b/i;
