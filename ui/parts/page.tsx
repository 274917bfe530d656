import { Alert, Box, Button, CopyButton, Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';

/** A page: its name, what can be done on it, and its content. */
export function Page({
  title,
  lead,
  actions,
  children,
}: {
  readonly title: string;
  /** One sentence that says what is shown here. */
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  useTitle(title);
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start" gap="sm">
        <Box maw="48rem">
          <Title order={1}>{title}</Title>
          {lead && (
            <Text size="sm" c="dimmed" component="div" mt={4}>
              {lead}
            </Text>
          )}
        </Box>
        {actions}
      </Group>
      {children}
    </Stack>
  );
}

/** Names the page in the browser. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · scim-bridge`;
  }, [title]);
}

/** A part of a page under a heading. */
export function Section({
  title,
  lead,
  children,
}: {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <Stack gap="xs" component="section">
      <Title order={2}>{title}</Title>
      {lead && (
        <Text size="sm" c="dimmed">
          {lead}
        </Text>
      )}
      {children}
    </Stack>
  );
}

/** Says that a list is empty, and what that means. */
export function Empty({ children }: { readonly children: ReactNode }) {
  return (
    <Text c="dimmed" size="sm" className="box">
      {children}
    </Text>
  );
}

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
        <Button
          variant="subtle"
          size="compact-xs"
          flex="none"
          onClick={copy}
          aria-label={`Copy ${name}`}
        >
          {copied ? 'Copied' : 'Copy'}
        </Button>
      )}
    </CopyButton>
  );
}

/** Tells that a page or a part of it could not be read. */
export function Fault({ error }: { readonly error: Error }) {
  return (
    <Alert color="red" role="alert" title="This could not be read">
      {error.message}
    </Alert>
  );
}

/** Leads the keyboard, and whoever hears the page read, to the content of the page. */
export function focusPage(): void {
  document.getElementById('page')?.focus({ preventScroll: true });
}

/** Leads the keyboard to the page once buttons are gone because of what was done with them. */
export function useFocusAfter(): void {
  useEffect(() => () => void requestAnimationFrame(focusWhatIsLost), []);
}

function focusWhatIsLost(): void {
  if (document.activeElement === document.body) focusPage();
}
