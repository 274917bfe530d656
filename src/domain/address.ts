import { foldCase, isJsonObject, type JsonObject, type JsonValue } from './values.ts';

const LOOKS_LIKE_ADDRESS = /^[^\s@]+@[^\s@]+$/;

/** True when the text can serve as an e-mail address: something, one @, something, no white space. */
export function isAddress(text: string): boolean {
  return text.length <= 320 && LOOKS_LIKE_ADDRESS.test(text);
}

/** The address that an account is created with: primary, else work, else the first, else a userName that is one. */
export function findCreationAddress(attributes: JsonObject): string | undefined {
  const emails = listEmails(attributes);
  const chosen =
    emails.find((email) => email.primary === true) ??
    emails.find((email) => foldedText(email.type) === 'work') ??
    emails[0];
  const value = chosen?.value;
  if (typeof value === 'string') return value.trim();
  const userName = attributes.userName;
  return typeof userName === 'string' && isAddress(userName.trim()) ? userName.trim() : undefined;
}

/** Every address of the resource, folded for comparing. */
export function listFoldedEmails(attributes: JsonObject): string[] {
  const folded = new Set<string>();
  for (const email of listEmails(attributes)) folded.add(foldedText(email.value));
  return [...folded];
}

function listEmails(attributes: JsonObject): JsonObject[] {
  const emails = attributes.emails;
  if (!Array.isArray(emails)) return [];
  return emails.filter(
    (email): email is JsonObject => isJsonObject(email) && foldedText(email.value) !== '',
  );
}

function foldedText(value: JsonValue | undefined): string {
  return typeof value === 'string' ? foldCase(value.trim()) : '';
}
