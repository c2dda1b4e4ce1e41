throw new Error('it broke while loading');
