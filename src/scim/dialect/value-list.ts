import type { JsonObject } from '../../domain/json.ts';
import type { Filter } from '../filter/tree.ts';
import type { AttributeRule } from '../schema/attribute-table.ts';
import { hasContent, isPrimary, toContent, toUse, toValueContent, weigh } from './elements.ts';

/** Spends work on a list, in looks at one value. @throws ScimError once that is too much */
export type Spend = (looks: number) => void;

/**
 * The values of a list in their order, while a PATCH changes them one after the other. Each change costs as much as
 * the values that it touches: those that are the same are found by an index, which is kept as long as it holds.
 */
export class ValueList {
  readonly spend: Spend;
  readonly #rule: AttributeRule;
  /** By numbers that rise in their order. */
  readonly #values = new Map<number, JsonObject>();
  readonly #primaries = new Set<number>();
  /** Numbers by content and use. undefined: there may be equal values, and the next use makes the index. */
  #index: Map<string, Map<string, number>> | undefined;
  #next = 0;
  /** The last value with content that another one took `primary` from. */
  #ousted: number | undefined;

  constructor(rule: AttributeRule, values: readonly JsonObject[], spend: Spend) {
    this.#rule = rule;
    this.spend = spend;
    this.fill(values);
  }

  /** All values, with their numbers. */
  list(): [number, JsonObject][] {
    return [...this.#values];
  }

  /** Replaces all values. */
  fill(values: readonly JsonObject[]): void {
    this.#values.clear();
    this.#primaries.clear();
    this.#index = undefined;
    this.#ousted = undefined;
    for (const value of values) this.insert(value);
  }

  /** Puts a value at the end, also when it is there already. @returns its number */
  insert(value: JsonObject): number {
    const number = this.#next;
    this.#next += 1;
    this.#put(number, value);
    return number;
  }

  /** Replaces a value in its place; undefined removes it. */
  set(number: number, value: JsonObject | undefined): void {
    const before = this.#values.get(number);
    if (before) this.#forget(number, before);
    if (value) this.#put(number, value);
    else this.#values.delete(number);
  }

  /** Puts a value at the end or, where it is there already, lets that one take over the other parts. @returns its number */
  merge(value: JsonObject): number {
    const index = this.#makeIndex();
    const known = index.get(toContent(this.#rule, value))?.get(toUse(value));
    const held = known === undefined ? undefined : this.#values.get(known);
    if (known === undefined || held === undefined) return this.insert(value);
    this.set(known, { ...held, ...value });
    return known;
  }

  /** Removes equal values; where a use is given, only those of the same use. */
  exclude(value: JsonObject): void {
    const index = this.#makeIndex();
    const use = toUse(value);
    const alike = [...(index.get(toContent(this.#rule, value)) ?? [])];
    for (const [ofUse, number] of alike) {
      if (use === '' || use === ofUse) this.set(number, undefined);
    }
  }

  /** The values that can fit the filter: by the index where it asks for a value, else all. */
  listCandidates(filter: Filter | undefined): [number, JsonObject][] {
    const value = filter && findValue(filter);
    if (value === undefined) return this.list();
    const index = this.#makeIndex();
    const numbers = index.get(toValueContent(this.#rule, value))?.values() ?? [];
    return [...numbers].flatMap((number): [number, JsonObject][] => {
      const held = this.#values.get(number);
      return held ? [[number, held]] : [];
    });
  }

  /** Keeps the last primary value of these as the only one; without one, nothing changes. */
  keepPrimary(numbers: readonly number[]): void {
    let chosen = -1;
    for (const number of numbers) {
      if (this.#primaries.has(number)) chosen = Math.max(chosen, number);
    }
    if (chosen === -1) return;
    for (const number of [...this.#primaries]) {
      const value = this.#values.get(number);
      if (number === chosen || value === undefined) continue;
      if (hasContent(value)) this.#ousted = number;
      this.set(number, { ...value, primary: false });
    }
  }

  /** Removes values without content. One that was primary gives that back to the value that it took it from. */
  dropEmpty(): void {
    let isLost = false;
    for (const [number, value] of this.#values) {
      if (hasContent(value)) continue;
      isLost ||= isPrimary(value);
      this.set(number, undefined);
    }
    const number = isLost && this.#primaries.size === 0 ? this.#ousted : undefined;
    const ousted = number === undefined ? undefined : this.#values.get(number);
    if (number !== undefined && ousted) this.set(number, { ...ousted, primary: true });
  }

  /** Joins equal values. */
  unite(): void {
    this.#makeIndex();
  }

  #makeIndex(): Map<string, Map<string, number>> {
    if (this.#index) return this.#index;
    const index = new Map<string, Map<string, number>>();
    for (const [number, value] of this.list()) {
      this.spend(weigh(value));
      const uses = findUses(index, toContent(this.#rule, value));
      const known = uses.get(toUse(value));
      const held = known === undefined ? undefined : this.#values.get(known);
      if (known === undefined || held === undefined) {
        uses.set(toUse(value), number);
      } else {
        this.set(number, undefined);
        this.set(known, { ...held, ...value });
      }
    }
    this.#index = index;
    return index;
  }

  #put(number: number, value: JsonObject): void {
    this.#values.set(number, value);
    if (isPrimary(value)) this.#primaries.add(number);
    if (!this.#index) return;
    const uses = findUses(this.#index, toContent(this.#rule, value));
    if (uses.has(toUse(value))) this.#index = undefined;
    else uses.set(toUse(value), number);
  }

  #forget(number: number, value: JsonObject): void {
    this.#primaries.delete(number);
    this.#index?.get(toContent(this.#rule, value))?.delete(toUse(value));
  }
}

/** The list with each element once: of those with the same value for the same use, the later ones add their other parts. */
export function mergeElements(rule: AttributeRule, elements: readonly JsonObject[]): JsonObject[] {
  const list = new ValueList(rule, elements, () => undefined);
  list.unite();
  return list.list().map(([, value]) => value);
}

function findUses(index: Map<string, Map<string, number>>, content: string): Map<string, number> {
  const known = index.get(content);
  if (known) return known;
  const uses = new Map<string, number>();
  index.set(content, uses);
  return uses;
}

/** The value of every element that fits the filter, where the filter names it. */
function findValue(filter: Filter): string | undefined {
  if (filter.kind === 'and') {
    for (const part of filter.parts) {
      const value = findValue(part);
      if (value !== undefined) return value;
    }
  }
  if (filter.kind !== 'compare' || filter.op !== 'eq') return undefined;
  const { target, comparable } = filter;
  return target.rule.name === 'value' && typeof comparable === 'string' ? comparable : undefined;
}
