/**
 * One fact of the service and what may be true of it: one value once a request for it was acknowledged, and
 * either of two while a request was sent that nobody answered.
 */
export class Fact<T> {
  #possible: readonly T[];

  constructor(now: T) {
    this.#possible = [now];
  }

  /** A request for this value leaves: from now on it may be true. */
  ask(value: T): void {
    if (!this.#possible.includes(value)) this.#possible = [...this.#possible, value];
  }

  /** The request was acknowledged: nothing else may be true in the end. */
  acknowledge(value: T): void {
    this.#possible = [value];
  }

  allows(value: T): boolean {
    return this.#possible.includes(value);
  }

  /** The value, when nothing else can be true. */
  get certain(): T | undefined {
    return this.#possible.length === 1 ? this.#possible[0] : undefined;
  }

  toString(): string {
    return this.#possible.map(String).join(' or ');
  }
}
