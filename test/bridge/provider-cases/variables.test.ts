import { expect, test } from 'vitest';
import { fillJson, fillText, startVariables } from './variables.ts';

const variables = new Map([
  ['rand', '0a1b2c3d'],
  ['userId', '42'],
]);

test('a variable is filled in wherever it stands', () => {
  const filled = fillJson(
    { 'x-{{rand}}': ['{{userId}}', { n: 1, deep: 'a {{rand}} b {{rand}}' }, null, true] },
    variables,
  );

  expect(filled).toEqual({
    'x-0a1b2c3d': ['42', { n: 1, deep: 'a 0a1b2c3d b 0a1b2c3d' }, null, true],
  });
});

test('a variable that nothing has set is an error, not an empty text', () => {
  expect(() => fillText('/Users/{{nobody}}', variables)).toThrow('nobody');
});

test('every run starts with names of its own', () => {
  const one = startVariables('secret');
  const other = startVariables('secret');

  expect(one.get('rand')).toMatch(/^[0-9a-f]{8}$/);
  expect(one.get('RAND')).toBe(one.get('rand')?.toUpperCase());
  expect(one.get('token')).toBe('secret');
  expect(one.get('rand')).not.toBe(other.get('rand'));
  expect(one.get('uuid')).not.toBe(other.get('uuid'));
});
