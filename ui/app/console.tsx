import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { createQueryClient } from '../api/queries.ts';
import { router } from './router.tsx';
import { resolveVariables, theme } from './theme.ts';

const client = createQueryClient();
// Dialogs stop the page behind them from scrolling by a style element of a library of their own.
setNonce(findNonce());

/** Nonce that the policy of the page asks of style elements. */
function findNonce(): string {
  return document.querySelector('meta[name="style-nonce"]')?.getAttribute('content') ?? '';
}

/** All of the console. */
export function Console() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={resolveVariables}
      defaultColorScheme="auto"
      getStyleNonce={findNonce}
    >
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  );
}
