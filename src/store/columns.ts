import { foldCase } from '../domain/fold.ts';
import type { JsonObject, JsonValue } from '../domain/json.ts';

/** The columns that follow from the attributes of a person, so that indexes answer for them. */
export interface UserColumns {
  attributes: string;
  user_name: string;
  user_name_folded: string;
  display_name_folded: string | null;
  external_id: string | null;
  active: number;
}

/** The stored form of a person's attributes: the document, and what is indexed of it. */
export function toUserColumns(attributes: JsonObject): UserColumns {
  const userName = toText(attributes.userName) ?? '';
  const displayName = toText(attributes.displayName);
  return {
    attributes: JSON.stringify(attributes),
    user_name: userName,
    user_name_folded: foldCase(userName),
    display_name_folded: displayName === null ? null : foldCase(displayName),
    external_id: toText(attributes.externalId),
    active: attributes.active === false ? 0 : 1,
  };
}

/** The columns that follow from the attributes of a group. */
export interface GroupColumns {
  attributes: string;
  display_name: string;
  display_name_folded: string;
  external_id: string | null;
}

/** The stored form of a group's attributes: the document, and what is indexed of it. */
export function toGroupColumns(attributes: JsonObject): GroupColumns {
  const displayName = toText(attributes.displayName) ?? '';
  return {
    attributes: JSON.stringify(attributes),
    display_name: displayName,
    display_name_folded: foldCase(displayName),
    external_id: toText(attributes.externalId),
  };
}

function toText(value: JsonValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
