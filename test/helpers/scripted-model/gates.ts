interface Gate {
  open: boolean;
  waiting: number;
  passing: (() => void)[];
  watching: (() => void)[];
}

/** Named gates that are closed until released. */
export function createGates() {
  const gates = new Map<string, Gate>();
  const find = (name: string): Gate => {
    const gate = gates.get(name) ?? { open: false, waiting: 0, passing: [], watching: [] };
    gates.set(name, gate);
    return gate;
  };

  return {
    async pass(name: string): Promise<void> {
      const gate = find(name);
      if (gate.open) return;
      gate.waiting++;
      for (const seen of gate.watching.splice(0)) seen();
      await new Promise<void>((resolve) => gate.passing.push(resolve));
      gate.waiting--;
    },
    hold(name: string): void {
      find(name).open = false;
    },
    release(name: string): void {
      const gate = find(name);
      gate.open = true;
      for (const go of gate.passing.splice(0)) go();
    },
    async held(name: string): Promise<void> {
      const gate = find(name);
      if (gate.waiting > 0) return;
      await new Promise<void>((resolve) => gate.watching.push(resolve));
    },
  };
}
