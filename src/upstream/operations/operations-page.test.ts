import { expect, test } from 'vitest';
import { operationGroups } from './all.ts';
import { toOperationsPage } from './operations-page.ts';

test('a line says what an operation is for and what is special about it, and nothing else', () => {
  const page = toOperationsPage(operationGroups);
  const remarksOf = (id: string) => page.split('\n').find((line) => line.startsWith(`| \`${id}\``));
  expect(remarksOf('removeCategory')).toMatch(/\{category_uuid\}` \| [^|]+ \| {2}\|$/);
  expect(remarksOf('removeCardType')).toMatch(/ \| body \|$/);
  expect(remarksOf('createGroup')).toMatch(/ \| beta, once \|$/);
  expect(remarksOf('retrieveCardList')).toMatch(/ \| undocumented, pages by start-position \|$/);
  expect(remarksOf('addComment')).toMatch(/ \| `files\[\]` deprecated, JSON or form, once \|$/);
  expect(remarksOf('getCardFile')).toMatch(/ \| redirect \|$/);
});
