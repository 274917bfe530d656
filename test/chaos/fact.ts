/** How long a request whose sender hung up may still be under way, in milliseconds. */
const LATE_MS = 10_000;

/**
 * One fact and what may be true of it: one value once a request for it was acknowledged, and more while requests were
 * sent that nobody answered.
 */
export class Fact<T> {
  #possible: readonly T[];
  readonly #asked = new Map<T, number>();
  readonly #late = new Map<T, number>();

  constructor(...now: readonly T[]) {
    this.#possible = now;
  }

  /** From now on this value may be true too. @returns what takes that back: the request was refused */
  ask(value: T): () => void {
    const before = this.#possible;
    this.#asked.set(value, this.countAsked(value) + 1);
    this.allow(value);
    return () => {
      this.#possible = before;
    };
  }

  /** The same, where it was not a provider who asked. */
  allow(value: T): void {
    if (!this.allows(value)) this.#possible = [...this.#possible, value];
  }

  /** So it is, without anybody having asked. */
  become(value: T): void {
    this.#possible = [value];
  }

  /** The request was acknowledged: nothing else may be true in the end, but for what may come late. */
  acknowledge(value: T): void {
    const now = performance.now();
    const late = [...this.#late].flatMap(([one, at]) => (now - at < LATE_MS ? [one] : []));
    this.#possible = [...new Set([value, ...late])];
  }

  /** The sender of a request for this value hung up: it may be carried out after later ones. */
  hangUp(value: T): void {
    this.#late.set(value, performance.now());
  }

  allows(value: T): boolean {
    return this.#possible.includes(value);
  }

  /** How often a provider has asked for this value. */
  countAsked(value: T): number {
    return this.#asked.get(value) ?? 0;
  }

  /** Whether a provider has ever asked for any value. */
  get isAsked(): boolean {
    return this.#asked.size > 0;
  }

  toString(): string {
    return this.#possible.map(String).join(' or ');
  }
}

/** One value of one fact that a request asks for. */
export interface Wish {
  /** The request is about to leave. */
  ask(): void;
  acknowledge(): void;
  /** It was refused, and nothing of it was done. */
  takeBack(): void;
  hangUp(): void;
}

/** Pairs a fact with the value that is asked for. */
export function wish<T>(fact: Fact<T>, value: T): Wish {
  let undo: (() => void) | undefined;
  return {
    ask() {
      undo = fact.ask(value);
    },
    acknowledge: () => fact.acknowledge(value),
    takeBack: () => undo?.(),
    hangUp: () => fact.hangUp(value),
  };
}
