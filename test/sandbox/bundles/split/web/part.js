export const text = 'a part';
