import { Bell } from './bell.ts';
import type { OperationName } from './operations.ts';

/** One request that reached the sandbox. */
export interface CallRecord {
  readonly method: string;
  /** With the query, as it was sent. */
  readonly path: string;
  /** `unknown`: no documented operation has this path and method. */
  readonly operation: OperationName | 'unknown';
  /** Undefined until the answer left, and for ever when the connection was cut instead. */
  status?: number | undefined;
  /** Milliseconds since 1970, by the sandbox's clock. */
  readonly at: number;
}

/** Calls to count; an absent field matches all. `mutating`: everything but GET. */
export interface CallFilter {
  readonly operation?: OperationName | 'unknown';
  readonly status?: number;
  readonly mutating?: boolean;
}

/** Ended calls of one kind. */
interface Count extends Required<CallFilter> {
  n: number;
}

const RECENT_MAX = 10_000;

/** The calls of the sandbox: counted since the last reset, the last 10,000 in detail. */
export class CallLog {
  readonly #bell = new Bell();
  #recent: CallRecord[] = [];
  #counts = new Map<string, Count>();
  #peak = 0;
  /** Calls that are open now. */
  open = 0;

  /** Highest number of calls that were open at the same time. */
  get peak(): number {
    return this.#peak;
  }

  /** Oldest first. */
  recent(): readonly CallRecord[] {
    return this.#recent.slice(-RECENT_MAX);
  }

  /** Number of matching calls that have ended, with those whose connection was cut (their status is 0). */
  count({ operation, status, mutating }: CallFilter = {}): number {
    return [...this.#counts.values()]
      .filter((counted) => operation === undefined || counted.operation === operation)
      .filter((counted) => status === undefined || counted.status === status)
      .filter((counted) => mutating === undefined || counted.mutating === mutating)
      .reduce((sum, { n }) => sum + n, 0);
  }

  /** Calls by operation and status. */
  counts(): Record<string, Record<number, number>> {
    const table: Record<string, Record<number, number>> = {};
    for (const { operation, status, n } of this.#counts.values()) {
      const row = table[operation] ?? {};
      row[status] = (row[status] ?? 0) + n;
      table[operation] = row;
    }
    return table;
  }

  /** Resolves when at least `calls` matching calls have ended since the last reset, so that tests need not sleep. */
  until(calls: number, filter: CallFilter = {}): Promise<void> {
    return this.#bell.until(() => this.count(filter) >= calls);
  }

  reset(): void {
    this.#recent = [];
    this.#counts = new Map();
    this.#peak = this.open;
  }

  /** Records the beginning of a call. The returned function records its end; 0 stands for a cut connection. */
  begin(call: Omit<CallRecord, 'status'>): (status: number) => void {
    const record: CallRecord = { ...call };
    this.#recent.push(record);
    if (this.#recent.length > 2 * RECENT_MAX) this.#recent = this.#recent.slice(-RECENT_MAX);
    this.open += 1;
    this.#peak = Math.max(this.#peak, this.open);
    return (status) => {
      this.open -= 1;
      if (status !== 0) record.status = status;
      const { method, operation } = call;
      const mutating = method !== 'GET';
      const key = `${operation} ${status} ${mutating}`;
      const counted = this.#counts.get(key) ?? { operation, status, mutating, n: 0 };
      counted.n += 1;
      this.#counts.set(key, counted);
      this.#bell.ring();
    };
  }
}
