import { useState } from 'preact/hooks';
import { Dialog } from '../parts/parts.tsx';
import { activeShortcuts, useShortcuts } from './shortcuts.ts';

/** The keys that work here, after `?`. */
export function ShortcutHelp() {
  const [isOpen, setOpen] = useState(false);
  useShortcuts([{ key: '?', description: 'these keys', run: () => setOpen(true) }]);
  if (!isOpen) return null;
  return (
    <Dialog title="Keys" onClose={() => setOpen(false)}>
      <dl class="facts keys">
        {[
          ...activeShortcuts(),
          { key: 'Ctrl K', description: 'go to a kind or a view' },
          { key: 'Ctrl S', description: 'dry run of what is edited' },
          { key: 'Esc', description: 'close a dialog' },
        ].map(({ key, description }) => (
          <>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{description}</dd>
          </>
        ))}
      </dl>
    </Dialog>
  );
}
