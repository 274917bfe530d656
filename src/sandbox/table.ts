/** Rows in order of their ids, with pages that cost only what they return. */
export class Table<Row extends { readonly id: number }> {
  readonly #rows = new Map<number, Row>();
  readonly #ids: number[] = [];

  get size(): number {
    return this.#ids.length;
  }

  find(id: number): Row | undefined {
    return this.#rows.get(id);
  }

  /** Inserts or replaces. A new id must be larger than every other, so that the order costs nothing. */
  put(row: Row): void {
    const last = this.#ids.at(-1);
    if (!this.#rows.has(row.id)) {
      if (last !== undefined && row.id < last) throw new RangeError(`id ${row.id} after ${last}`);
      this.#ids.push(row.id);
    }
    this.#rows.set(row.id, row);
  }

  delete(id: number): void {
    if (this.#rows.delete(id)) this.#ids.splice(this.#ids.indexOf(id), 1);
  }

  /** Up to `limit` rows after the first `offset`; `desc` counts from the newest. */
  page(offset: number, limit: number, order: 'asc' | 'desc' = 'asc'): Row[] {
    const end = this.#ids.length - offset;
    const ids =
      order === 'asc'
        ? this.#ids.slice(offset, offset + limit)
        : this.#ids.slice(Math.max(0, end - limit), Math.max(0, end)).reverse();
    return ids.flatMap((id) => this.#rows.get(id) ?? []);
  }

  all(order: 'asc' | 'desc' = 'asc'): Row[] {
    return this.page(0, this.#ids.length, order);
  }
}
