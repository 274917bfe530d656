import { expect, test } from 'vitest';
import { withSchemas } from './extensions.ts';

test('a document names the core schema and every extension it holds, first', () => {
  const held = { userName: 'ada', 'urn:b': { x: 1 }, schemas: ['urn:old'], 'urn:a': { y: 2 } };

  const shown = withSchemas('urn:core', held);

  expect(Object.entries(shown)).toEqual([
    ['schemas', ['urn:core', 'urn:b', 'urn:a']],
    ['userName', 'ada'],
    ['urn:b', { x: 1 }],
    ['urn:a', { y: 2 }],
  ]);
});
