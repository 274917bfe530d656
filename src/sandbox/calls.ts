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
  readonly status: number | undefined;
  /** Milliseconds since 1970, by the sandbox's clock. */
  readonly at: number;
}

/** Calls to count; an absent field matches all. `mutating`: everything but GET. */
export interface CallFilter {
  readonly operation?: OperationName | 'unknown';
  readonly status?: number;
  readonly mutating?: boolean;
}

const recentMax = 10_000;

/** The calls of the sandbox: counted since the last reset, the last 10,000 in detail. */
export class CallLog {
  readonly #bell = new Bell();
  #recent: Writable<CallRecord>[] = [];
  #counts = new Map<string, Counted>();
  #running = 0;
  #peak = 0;

  /** Highest number of calls that were open at the same time. */
  get peak(): number {
    return this.#peak;
  }

  /** Calls that are open now. */
  get open(): number {
    return this.#running;
  }

  /** Oldest first. */
  recent(): readonly CallRecord[] {
    return this.#recent.slice(-recentMax);
  }

  /** Number of matching calls that have ended, with those whose connection was cut (their status is 0). */
  count({ operation, status, mutating }: CallFilter = {}): number {
    let sum = 0;
    for (const counted of this.#counts.values()) {
      if (operation !== undefined && counted.operation !== operation) continue;
      if (status !== undefined && counted.status !== status) continue;
      if (mutating !== undefined && (counted.method !== 'GET') !== mutating) continue;
      sum += counted.calls;
    }
    return sum;
  }

  /** Calls by operation and status. */
  counts(): Record<string, Record<number, number>> {
    const table: Record<string, Record<number, number>> = {};
    for (const { operation, status, calls } of this.#counts.values()) {
      const row = table[operation] ?? {};
      row[status] = (row[status] ?? 0) + calls;
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
    this.#peak = this.#running;
  }

  /** Records the beginning of a call. The returned function records its end; 0 stands for a cut connection. */
  begin(call: Omit<CallRecord, 'status'>): (status: number) => void {
    const record: Writable<CallRecord> = { ...call, status: undefined };
    this.#recent.push(record);
    if (this.#recent.length > 2 * recentMax) this.#recent = this.#recent.slice(-recentMax);
    this.#running += 1;
    this.#peak = Math.max(this.#peak, this.#running);
    return (status) => {
      this.#running -= 1;
      if (status !== 0) record.status = status;
      this.#add(record, status);
    };
  }

  #add({ method, operation }: CallRecord, status: number): void {
    const key = `${method} ${operation} ${status}`;
    const counted = this.#counts.get(key) ?? { method, operation, status, calls: 0 };
    counted.calls += 1;
    this.#counts.set(key, counted);
    this.#bell.ring();
  }
}

interface Counted {
  readonly method: string;
  readonly operation: string;
  readonly status: number;
  calls: number;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };
