import { Alert, Button, CopyButton, Group, Stack, TextInput } from '@mantine/core';
import type { Ops } from '../api/types.ts';

/** A token or a client with its secret. */
type Made = Ops<'NewToken'> | Ops<'NewClient'>;

/** Shows a secret, this once. */
export function Secret({ made, onDone }: { readonly made: Made; readonly onDone: () => void }) {
  return (
    <Stack>
      <Alert color="yellow" variant="outline" title="Copy it now">
        You cannot see this again: the bridge keeps only a digest.
      </Alert>
      {'token' in made && <Copied label="Token" text={made.token} />}
      {'secret' in made && <Copied label="Client id" text={made.id} />}
      {'secret' in made && <Copied label="Client secret" text={made.secret ?? ''} />}
      <Group justify="flex-end">
        <Button onClick={onDone}>I have copied it</Button>
      </Group>
    </Stack>
  );
}

function Copied({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <Group align="flex-end" wrap="nowrap" gap="xs">
      <TextInput
        label={label}
        value={text}
        readOnly
        style={{ flex: 1 }}
        classNames={{ input: 'secret' }}
      />
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button size="sm" variant="default" onClick={copy} aria-label={`Copy ${label}`}>
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
    </Group>
  );
}
