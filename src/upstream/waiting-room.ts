/**
 * Kinds of calls, most urgent first: `remove` takes access away, `change` comes from a provider, `look` reads for a
 * comparison, `pass` is a call that the bridge passes through for an operator or a program.
 */
const callClasses = ['remove', 'change', 'look', 'pass'] as const;

/** Classes that keep a tenth of all calls each, whatever more urgent calls wait. */
const keptClasses = ['look', 'pass'] as const;

/** Times that other calls may pass a waiting call of such a class; then it goes. */
const PASSED_MAX = 9;

/** Kind of a call; it decides the order in a queue. */
export type CallClass = (typeof callClasses)[number];

/** A number for each class. */
export type ClassCounts = Readonly<Record<CallClass, number>>;

/** One waiting call. Calls without a key are each a resource of their own. */
export interface Place<W> {
  readonly callClass: CallClass;
  readonly key: string | undefined;
  /** True for a call that has had its turn already: it goes before its whole class. */
  readonly again: boolean;
  readonly waiter: W;
}

/** Waiting calls in their order: by class, then in turn between resources, first in first out for one resource. */
export class WaitingRoom<W> {
  /** In the order of arrival. */
  #places: Place<W>[] = [];
  /** Place in the line of each resource that waits; one that had a turn goes to the end. */
  readonly #ranks = new Map<unknown, number>();
  readonly #passed = { look: 0, pass: 0 };
  #lastRank = 0;

  get size(): number {
    return this.#places.length;
  }

  add(place: Place<W>): void {
    this.#places.push(place);
    if (!this.#ranks.has(toKey(place))) this.#moveToEnd(place);
  }

  /** Removes a call; true when it was still waiting. */
  remove({ waiter }: Place<W>): boolean {
    const index = this.#places.findIndex((place) => place.waiter === waiter);
    const [place] = index < 0 ? [] : this.#places.splice(index, 1);
    if (place === undefined) return false;
    const isLast = !this.#places.some((other) => toKey(other) === toKey(place));
    if (isLast) this.#ranks.delete(toKey(place));
    return true;
  }

  /** Takes the next one out, or undefined when none waits. */
  next(): W | undefined {
    const callClass = this.#pickClass();
    if (callClass === undefined) return undefined;
    const waiting = this.#places.filter((place) => place.callClass === callClass);
    const rankOf = (place: Place<W>) => this.#ranks.get(toKey(place)) ?? 0;
    const place =
      waiting.find(({ again }) => again) ??
      waiting.reduce((first, other) => (rankOf(other) < rankOf(first) ? other : first));
    for (const kept of keptClasses) {
      const isPassed = kept !== callClass && this.#isWaiting(kept);
      this.#passed[kept] = isPassed ? this.#passed[kept] + 1 : 0;
    }
    this.remove(place);
    if (this.#ranks.has(toKey(place))) this.#moveToEnd(place);
    return place.waiter;
  }

  /** Moves the calls with this key into the most urgent class. */
  prioritise(key: string): void {
    const toUrgent = (place: Place<W>) => ({ ...place, callClass: 'remove' as const });
    this.#places = this.#places.map((place) => (place.key === key ? toUrgent(place) : place));
  }

  /** Takes all of them out. */
  clear(): W[] {
    this.#ranks.clear();
    return this.#places.splice(0).map(({ waiter }) => waiter);
  }

  /** Calls that go before a new one of this class. */
  countAhead(callClass: CallClass): number {
    const urgency = callClasses.indexOf(callClass);
    return this.#places.filter((place) => callClasses.indexOf(place.callClass) <= urgency).length;
  }

  counts(): ClassCounts {
    const counts = { remove: 0, change: 0, look: 0, pass: 0 };
    for (const { callClass } of this.#places) counts[callClass] += 1;
    return counts;
  }

  #pickClass(): CallClass | undefined {
    const due = keptClasses.find(
      (kept) => this.#passed[kept] >= PASSED_MAX && this.#isWaiting(kept),
    );
    return due ?? callClasses.find((callClass) => this.#isWaiting(callClass));
  }

  #isWaiting(callClass: CallClass): boolean {
    return this.#places.some((place) => place.callClass === callClass);
  }

  #moveToEnd(place: Place<W>): void {
    this.#lastRank += 1;
    this.#ranks.set(toKey(place), this.#lastRank);
  }
}

function toKey<W>({ key, waiter }: Place<W>): unknown {
  return key ?? waiter;
}
