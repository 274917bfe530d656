import * as boards from './boards.ts';
import * as cardParts from './card-parts.ts';
import * as cards from './cards.ts';
import * as directories from './directories.ts';
import * as documents from './documents.ts';
import * as people from './people.ts';
import * as properties from './properties.ts';
import { scim } from './scim.ts';
import * as spaces from './spaces.ts';

const restGroups = {
  ...boards,
  ...cardParts,
  ...cards,
  ...directories,
  ...documents,
  ...people,
  ...properties,
  ...spaces,
};

/** Every operation of the service, by the group that the documents put it in: `scim` first, then by the alphabet. */
export const operationGroups = { scim, ...sortByName(restGroups) };

// The types of the groups stay, whatever their order: hence two signatures.
function sortByName<Groups>(groups: Groups): Groups;
function sortByName(groups: object): object {
  return Object.fromEntries(Object.entries(groups).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
