import { isJsonObject, type JsonValue } from '../../domain/json.ts';
import type { BodyEntry } from './entries.ts';
import { findPart } from './parse-body.ts';

/** Lists of a body as they were sent, by the name of their attribute: errors count places in these, not in what is left once equal values are one. */
export type SentLists = ReadonlyMap<string, JsonValue>;

/** The lists of the entries; of a list that is there in several spellings the last one. */
export function toSentLists(entries: readonly BodyEntry[]): SentLists {
  const lists = entries.filter(({ path }) => path.attribute.multiValued && !path.sub);
  return new Map(lists.map(({ path, value }) => [path.attribute.name, value]));
}

/**
 * Place of a value in a list as it was sent, for the words of an error, counted from 1; undefined: the list lacks it.
 * @param name of the attribute @param value of an element or, where that has none, the element itself
 */
export function findSentPlace(
  name: string,
  sent: JsonValue | undefined,
  value: string,
): string | undefined {
  const isIt = (item: JsonValue) => {
    const text = String(toValue(item));
    return text === value || text.trim() === value;
  };
  if (!Array.isArray(sent)) {
    return sent !== undefined && isIt(sent) ? `The value of ${name}` : undefined;
  }
  const index = sent.findIndex(isIt);
  return index === -1 ? undefined : `Value ${index + 1} of ${name}`;
}

/** The value of an element as its reader takes it: bare, in a list of its own, or in an object in one. */
function toValue(item: JsonValue): JsonValue | undefined {
  if (Array.isArray(item)) return item.length === 1 ? toValue(item[0] ?? null) : undefined;
  if (!isJsonObject(item)) return item;
  const value = findPart(item, 'value');
  return value === undefined ? undefined : toValue(value);
}
