import type { OperationName } from './operations.ts';

/** One request that reached the sandbox. */
export interface CallRecord {
  readonly method: string;
  /** With the query, as it was sent. */
  readonly path: string;
  /** `unknown`: no documented operation has this path and method. */
  readonly operation: OperationName | 'unknown';
  /** Undefined until the call ends; 0 when the connection was cut instead of an answer. */
  status?: number;
  /** Milliseconds since 1970, by the sandbox's clock. */
  readonly at: number;
}

/** Calls to count; an absent field matches all. `mutating`: everything but GET. */
type CallFilter = Partial<Pick<CallRecord, 'operation' | 'status'>> & {
  readonly mutating?: boolean;
};

/** Calls that are kept at least. */
const KEPT = 100_000;

/** The calls of the sandbox since the last reset. */
export class CallLog {
  readonly #bell = new Bell();
  #calls: CallRecord[] = [];
  /** Calls that are open now. */
  open = 0;
  /** Highest number of calls that were open at the same time. */
  peak = 0;

  /** Oldest first. */
  recent(): readonly CallRecord[] {
    return this.#calls.slice(-10_000);
  }

  /** Number of matching calls that have ended. */
  count({ operation, status, mutating }: CallFilter = {}): number {
    return this.#calls.filter(
      (call) =>
        call.status !== undefined &&
        (operation === undefined || call.operation === operation) &&
        (status === undefined || call.status === status) &&
        (mutating === undefined || (call.method !== 'GET') === mutating),
    ).length;
  }

  /** Ended calls by operation and status. */
  counts(): Record<string, Record<number, number>> {
    const table: Record<string, Record<number, number>> = {};
    for (const { operation, status } of this.#calls) {
      if (status === undefined) continue;
      table[operation] ??= {};
      table[operation][status] = (table[operation][status] ?? 0) + 1;
    }
    return table;
  }

  /** Resolves when at least `calls` matching calls have ended since the last reset. */
  until(calls: number, filter: CallFilter = {}): Promise<void> {
    return this.#bell.until(() => this.count(filter) >= calls);
  }

  /** Forgets the calls that have ended. */
  reset(): void {
    this.#calls = this.#calls.filter(({ status }) => status === undefined);
    this.peak = this.open;
  }

  /** Records the beginning of a call. The returned function records its end; 0 stands for a cut connection. */
  begin(call: Omit<CallRecord, 'status'>): (status: number) => void {
    const record: CallRecord = { ...call };
    if (this.#calls.push(record) > 2 * KEPT) this.#calls = this.#calls.slice(-KEPT);
    this.open += 1;
    this.peak = Math.max(this.peak, this.open);
    return (status) => {
      this.open -= 1;
      record.status = status;
      this.#bell.ring();
    };
  }
}

/** Wakes whoever waits for something to happen, so that tests need not sleep. */
export class Bell {
  #next = Promise.withResolvers<void>();

  ring(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }

  /** Resolves at the first ring after which `isReached` is true; at once when it is true already. */
  async until(isReached: () => boolean): Promise<void> {
    while (!isReached()) await this.#next.promise;
  }
}
