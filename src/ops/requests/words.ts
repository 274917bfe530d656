/** Reasons of refusals in words, by the error keyword. */
const REFUSALS: Readonly<Record<string, string>> = {
  invalidFilter: 'the filter is none, or compares what cannot be compared',
  tooMany: 'the search is too large',
  uniqueness: 'somebody else has the name or the address, or an operator has to decide about it',
  mutability: 'an attribute that only the bridge sets was written',
  invalidSyntax: 'the body is not one of SCIM',
  invalidPath: 'the path of an operation is none',
  noTarget: 'no value fits the path of an operation',
  invalidValue: 'a value is missing, has the wrong type, or the service refuses it',
  invalidCursor: 'the cursor is not one of the bridge',
  invalidCount: 'the page is too large',
};

/** Reasons of refusals without a keyword, by status. */
const STATUSES: Readonly<Record<number, string>> = {
  401: 'the token is none, or valid no more',
  403: 'what it was for is protected, or not to be taken over',
  404: 'what it was for is not there',
  412: 'it was changed meanwhile, as If-Match says',
  413: 'the body is too large',
  429: 'more was asked than the limits allow',
  501: 'the bridge does not do this',
  503: 'the bridge or the service could not do it then: the provider comes again',
};

/** Finds why a request was refused, in words; null: it was not, or nothing more is known. */
export function findRefusalWords(status: number, scimType: string | null): string | null {
  if (status < 400) return null;
  return (scimType === null ? undefined : REFUSALS[scimType]) ?? STATUSES[status] ?? null;
}
