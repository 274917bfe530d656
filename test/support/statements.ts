import type { CompiledQuery } from 'kysely';
import type { Db, Store } from '../../src/store/store.ts';

/** The same database, which tells each statement before it is executed. */
function listen(db: Db, onStatement: (statement: CompiledQuery) => void): Db {
  return db.withPlugin({
    transformQuery({ node, queryId }) {
      onStatement(db.getExecutor().compileQuery(node, queryId));
      return node;
    },
    transformResult: async ({ result }) => result,
  });
}

/** Statements that a store was asked to execute. */
export interface StatementLog {
  /** The SQL of reads outside transactions, in order. */
  readonly reads: string[];
  /** The SQL of each write, in order. */
  readonly writes: string[][];
  reset(): void;
}

/** The same store, and a log of its statements. */
export function logStatements(store: Store): { readonly store: Store; readonly log: StatementLog } {
  const log = {
    reads: [] as string[],
    writes: [] as string[][],
    reset() {
      this.reads.length = 0;
      this.writes.length = 0;
    },
  };
  const logRead = ({ sql }: CompiledQuery) => void log.reads.push(sql);
  const logged: Store = {
    ...store,
    read: listen(store.read, logRead),
    aside: listen(store.aside, logRead),
    write(work) {
      const statements: string[] = [];
      log.writes.push(statements);
      return store.write((tx) => work(listen(tx, ({ sql }) => void statements.push(sql))));
    },
  };
  return { store: logged, log };
}
