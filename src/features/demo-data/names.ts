/** First names of the demo employees, from many countries. */
export const firstNames = (
  'Amara Bjørn Chiara Darius Eun-ji Farid Grace Hiroshi Ingrid Jamal Katarzyna Luca María Nikhil Oluwaseun ' +
  'Priya Quinn Rosa Samir Thandiwe Uma Viktor Wei Ximena Yusuf Zoë Aaliyah Benedikt Camille Dmitri Esther ' +
  'Fatima Gabriel Hannah Ibrahim José Kwame Leila Mateus Nadia Oscar Petra Rania Sven Tomás Valentina ' +
  'Zainab'
).split(' ');

/** Last names of the demo employees, from many countries. */
export const lastNames = (
  'Adeyemi Andersson Bianchi Chen Costa Dlamini Dubois Eriksen Fernández Fischer García Gupta Haddad Hansen ' +
  "Ivanova Jansen Johnson Kaya Kim Kowalski Larsen Lopez MacDonald Mensah Müller Nakamura Nguyen Novák O'Brien " +
  'Okonkwo Patel Pereira Petrov Rahman Rossi Santos Sato Schmidt Silva Singh Smith Tanaka Torres Wagner Wang ' +
  'Williams Yamamoto Yilmaz Zhang Ziegler Østergaard Ramírez Lindqvist'
).split(' ');
