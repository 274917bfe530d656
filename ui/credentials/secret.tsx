import { Alert, Button, CopyButton, Group, Stack, TextInput } from '@mantine/core';

/** A secret that was made, to be copied now. */
export interface Made {
  /** `client_id` of OAuth; a token has none. */
  readonly id?: string;
  readonly secret: string;
}

/** Shows a secret, this once. */
export function Secret({ made, onDone }: { readonly made: Made; readonly onDone: () => void }) {
  return (
    <Stack>
      <Alert color="yellow" variant="outline" title="Copy it now">
        Nobody is shown it again; the bridge keeps only a digest.
      </Alert>
      {made.id && <Copied label="Client id" text={made.id} />}
      <Copied label={made.id ? 'Client secret' : 'Token'} text={made.secret} />
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
