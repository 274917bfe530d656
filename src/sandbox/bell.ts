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
