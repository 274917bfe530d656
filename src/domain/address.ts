import type { JsonObject, JsonValue } from './values.ts';
import { foldCase, isJsonObject } from './values.ts';

const LOOKS_LIKE_ADDRESS = /^[^\s@]+@[^\s@]+$/;

/** True when the text can serve as an e-mail address: something, one @, something, no white space. */
export const isAddress = (text: string) => text.length <= 320 && LOOKS_LIKE_ADDRESS.test(text);

/** The address that an account is created with: primary, else work, else the first, else a userName that is one. */
export function findCreationAddress(attributes: JsonObject): string | undefined {
  const emails = listEmails(attributes);
  const chosen =
    emails.find((email) => email.primary === true) ??
    emails.find((email) => foldedText(email.type) === 'work') ??
    emails[0];
  if (typeof chosen?.value === 'string') return chosen.value.trim();
  const userName = typeof attributes.userName === 'string' ? attributes.userName.trim() : '';
  return isAddress(userName) ? userName : undefined;
}

/** Every address of the resource, folded for comparing. */
export const listFoldedEmails = (attributes: JsonObject) => [
  ...new Set(listEmails(attributes).map(({ value }) => foldedText(value))),
];

const listEmails = ({ emails }: JsonObject) =>
  (Array.isArray(emails) ? emails : [])
    .filter(isJsonObject)
    .filter(({ value }) => foldedText(value) !== '');

const foldedText = (value: JsonValue | undefined) =>
  typeof value === 'string' ? foldCase(value.trim()) : '';
