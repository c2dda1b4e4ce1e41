import { spawn } from 'node:child_process';

/** When a process is killed from outside, in milliseconds. */
export interface KillTimes {
  afterStart?: number;
  afterOpen?: number;
  /** Called instead of killing it; it is killed right after. */
  cut?: () => void;
}

export interface Life {
  /** The whole lines that it told until it ended, or until the cut. */
  output: string;
  opened: boolean;
  /** It killed itself. */
  byItself: boolean;
}

/**
 * One process from start to kill: this program again, with `child` and the words. The entry of a program that calls this
 * begins with `if (process.argv[2] === 'child') await actAsChild(process.argv.slice(3));`.
 */
export function live(words: string[], { afterStart, afterOpen = 0, cut }: KillTimes): Promise<Life> {
  const child = spawn(process.execPath, [process.argv[1] ?? '', 'child', ...words], {
    stdio: ['ignore', 'pipe', cut ? 'ignore' : 'inherit'],
  });
  return new Promise((resolve, reject) => {
    let output = '';
    let late = '';
    let opened = false;
    let ended = false;
    const end = (): void => {
      if (!ended) cut?.();
      ended = true;
      child.kill('SIGKILL');
    };
    const timers = [setTimeout(end, Math.min(afterStart ?? longestMs, longestMs))];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (ended && cut) late += text;
      else output += text;
      if (opened || !/^opened$/m.test(output)) return;
      opened = true;
      if (afterStart === undefined) timers.push(setTimeout(end, afterOpen));
    });
    child.on('close', (code, signal) => {
      for (const timer of timers) clearTimeout(timer);
      if (signal === 'SIGKILL' || cut) resolve({ output: withIntents(output, late), opened, byItself: !ended });
      else reject(new Error(`The child ended with ${code ?? signal}.`));
    });
  });
}

/** What is acknowledged after a power cut was not acknowledged in time; what was only about to be done may have been done. */
function withIntents(output: string, late: string): string {
  const whole = output.lastIndexOf('\n') + 1;
  const intents = (output.slice(whole) + late).match(/^deleting .+\n/gm) ?? [];
  return output.slice(0, whole) + intents.join('');
}

const longestMs = 60_000;
