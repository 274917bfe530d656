/** Corrections of requests in words: what was sent in which way, and what became of it. */
export const REPAIR_WORDS = {
  'schemas-missing': 'no schemas were named: they follow from the address',
  'schemas-unknown': 'a schema is old, misspelt or not known here: it is left out',
  'name-case': 'an attribute is spelt in another case',
  'name-qualified': 'an attribute stands under its full name, with its schema',
  'name-unqualified': 'an attribute of an extension stands without its schema',
  'path-unqualified': 'a path names an attribute of an extension without its schema',
  'path-dotted': 'a path has a dot between a schema and its attribute',
  'value-made': 'no value fits the filter of a path: one is made',
  'binary-malformed': 'a binary value is not base64',
  'name-dotted': 'an attribute of an object is named with a dot',
  'array-around-value': 'a list stands around a single value',
  'object-around-value': 'an object stands around a simple value',
  'value-for-list': 'one value stands where a list belongs',
  'value-for-object': 'a text stands where an object belongs',
  'boolean-as-text': 'a text such as "True" stands for true or false',
  'number-as-text': 'a text stands for a number',
  'text-as-other': 'a number or true or false stands for a text',
  'json-in-text': 'a text holds a whole JSON document',
  'blank-as-unassign': 'an empty text is taken as no value',
  'duplicate-values': 'a value is there twice: it is taken once',
  'several-primaries': 'several values are primary: one of them is taken so',
  'name-doubled': 'an attribute is there twice: the last one counts',
  'read-only-dropped': 'what only the bridge sets is left out',
  'password-dropped': 'a password is never taken',
  'blank-active-dropped': 'active cannot be cleared: it stays as it is',
  'unknown-attribute-dropped': 'an attribute is not known here: it is left out',
  'unknown-schema-dropped': 'an extension is not known here: it is left out',
  'value-dropped': 'a value has not the type of its attribute: it is left out',
  'empty-value-dropped': 'a value tells its use alone: it is left out',
  'op-case': 'the op of an operation is not in lower case',
  'operation-for-list': 'one operation stands where a list belongs',
  'filter-unquoted': 'a text of the filter has no quotes',
  'filter-unknown': 'the filter names an attribute that is not known here',
  'filter-dialect': 'the filter is written in another way than the standard says',
  'remove-by-value': 'a removal names its values beside the path',
  'remove-value-dropped': 'a removal has a filter and a value: the filter counts alone',
} as const;

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

/** Finds the words of a correction; null for a kind of an earlier version. */
export function findRepairWords(kind: string): string | null {
  return new Map<string, string>(Object.entries(REPAIR_WORDS)).get(kind) ?? null;
}

/** Finds why a request was refused, in words; null: it was not, or nothing more is known. */
export function findRefusalWords(status: number, scimType: string | null): string | null {
  if (status < 400) return null;
  return (scimType === null ? undefined : REFUSALS[scimType]) ?? STATUSES[status] ?? null;
}
