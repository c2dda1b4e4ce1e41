import { copyText } from '../../service/copy.ts';
import { useConsole } from '../context.tsx';
import { Button } from './button.tsx';
import type { IconName } from './icon.tsx';

interface CopyButtonProps {
  /** Or what makes it, when it is asked for. */
  text: string | (() => string);
  label?: string;
  icon?: IconName;
}

/** Copies a text and says so. With a `label` it is an icon of that name, otherwise it reads "Copy". */
export function CopyButton({ text, label, icon = 'copy' }: CopyButtonProps) {
  const { say } = useConsole();
  const copy = async (): Promise<void> => {
    if (await copyText(typeof text === 'string' ? text : text())) say('Copied.');
    else say('The browser did not allow copying. Select the text instead.', 'danger');
  };
  if (label === undefined)
    return (
      <Button icon={icon} onClick={copy}>
        Copy
      </Button>
    );
  return <Button icon={icon} label={label} tone="quiet" onClick={copy} />;
}
