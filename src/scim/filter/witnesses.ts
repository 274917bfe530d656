import type { JsonObject, JsonValue } from '../../domain/json.ts';
import { matches } from './matches.ts';
import type { Filter } from './tree.ts';

/** Values of a list that decide a filter: whatever it says of them it says of the whole list. */
export interface Witnesses {
  /** Takes a value, in the order of the list. @returns false once no further one can change the filter */
  look(value: JsonValue): boolean;
  /** The first value, and those that fulfil a comparison first. */
  list(): JsonValue[];
}

/**
 * Collects the values of a list that is too long for the memory. A filter asks of a list only for the existence of
 * values, so the first value that fulfils each of its comparisons stands for all of them.
 * @param list name of the list, on top of the resource
 */
export function collectWitnesses(filter: Filter | undefined, list: string): Witnesses {
  const open = new Set(filter ? listQuestions(filter, list) : []);
  const kept = new Set<JsonValue>();
  return {
    look(value) {
      if (kept.size === 0) kept.add(value);
      const alone: JsonObject = { [list]: [value] };
      for (const question of open) {
        if (!matches(question, alone)) continue;
        kept.add(value);
        open.delete(question);
      }
      return open.size > 0;
    },
    list: () => [...kept],
  };
}

/** Questions for the existence of values that the filter asks of the list. */
function listQuestions(filter: Filter, list: string): Filter[] {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.parts.flatMap((part) => listQuestions(part, list));
    case 'not':
      return listQuestions(filter.part, list);
    case 'nothing':
      return [];
    default: {
      if (filter.target.keys[0] !== list) return [];
      if (filter.kind !== 'compare') return [filter];
      // `ne` holds too where no value is assigned, so whether one is matters by itself.
      const present: Filter = { kind: 'present', target: filter.target };
      return [present, { kind: 'and', parts: [present, filter] }];
    }
  }
}
