import { Button, CopyButton, Group } from '@mantine/core';

/** A command that does what the button beside it does, to be copied. */
export function CommandLine({ text }: { readonly text: string }) {
  return (
    <Group gap={4} wrap="nowrap" className="command">
      <code>{text}</code>
      <Copy text={text} name={text} />
    </Group>
  );
}

/** Button that copies a text. */
export function Copy({ text, name }: { readonly text: string; readonly name: string }) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Button variant="subtle" size="compact-xs" onClick={copy} aria-label={`Copy ${name}`}>
          {copied ? 'Copied' : 'Copy'}
        </Button>
      )}
    </CopyButton>
  );
}
