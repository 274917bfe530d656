import { Alert, Group, Stack, TextInput } from '@mantine/core';
import type { Ops } from '../api/types.ts';
import { Copy } from '../parts/page.tsx';

/** A token or a client with its secret. */
export type Made = Ops<'NewToken'> | Ops<'NewClient'>;

/** Shows a secret, this once. */
export function Secret({ made }: { readonly made: Made }) {
  const shown =
    'token' in made
      ? { Token: made.token }
      : { 'Client id': made.id, 'Client secret': made.secret ?? '' };
  return (
    <Stack>
      <Alert color="yellow" variant="outline" title="Copy it now">
        You cannot see this again: the bridge keeps only a digest.
      </Alert>
      {Object.entries(shown).map(([label, text]) => (
        <Group key={label} align="flex-end" wrap="nowrap" gap="xs">
          <TextInput label={label} value={text} readOnly flex={1} />
          <Copy text={text} name={label} />
        </Group>
      ))}
    </Stack>
  );
}
